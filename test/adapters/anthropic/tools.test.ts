import Anthropic from "@anthropic-ai/sdk";
import { LLMock } from "@copilotkit/aimock";
import { describe, expect, it, onTestFinished } from "vitest";
import { guardClient, guardTools } from "../../../src/adapters/anthropic/public.js";
import { counted, DONE, opened, pay } from "../client/pack.js";
import { bytesOf, messagesWire, splitFetch, type Turn } from "../client/wire.js";
import { clientOf, MODEL } from "./harness.js";

/** A tool that says what it was called with. */
function desk(sent: unknown[] = []) {
  return [
    {
      name: "pay",
      description: "pays",
      input_schema: { type: "object" as const },
      parse: (content: unknown) => {
        const args = { ...(content as { readonly n: number }), currency: "EUR" };
        if (args.n === 41) throw new Error("41 is no amount");
        return args;
      },
      run: async (args: unknown) => {
        sent.push(args);
        return [{ type: "text" as const, text: '{"ok":true}' }];
      },
    },
  ];
}

const GO = { model: MODEL, max_tokens: 100, messages: [{ role: "user" as const, content: "pay" }] };

async function played(turns: readonly Turn[], how: { readonly stream?: true; readonly runToolsEagerly?: true } = {}) {
  const sent: unknown[] = [];
  const { guard, client, received } = await clientOf({ turns });
  const given = { ...GO, tools: guardTools(guard, desk(sent)), ...how };
  await client.beta.messages.toolRunner(given as Parameters<typeof client.beta.messages.toolRunner>[0]);
  const text = received.map(({ body }) => JSON.stringify(body.messages)).join("\n");
  return { guard, sent, text };
}

const WAYS = [{}, { stream: true }, { stream: true, runToolsEagerly: true }] as const;

describe.each(WAYS)("tools of `toolRunner` (%j)", (how) => {
  it("run under their contracts, with their own parsers", async () => {
    const { guard, sent, text } = await played([{ calls: [pay("a", 30), pay("b", 40)] }, DONE], how);
    expect(sent).toEqual([30, 40].map((n) => ({ n, currency: "EUR" })));
    expect(text).not.toContain("is_error");
    expect(counted(guard)).toEqual({ steps: 2, toolCalls: 2, paid: 70, unsettled: [] });
  });

  it("tell the model of refusals, until it corrects itself", async () => {
    const { guard, sent, text } = await played([{ calls: [pay("a", 70)] }, { calls: [pay("b", 35)] }, DONE], how);
    expect(sent).toEqual([{ n: 35, currency: "EUR" }]);
    expect(text).toMatch(/refused by contract .*because: Nobody pays more than 60 at once.*"is_error":true/);
    expect(counted(guard)).toMatchObject({ steps: 3, paid: 35, unsettled: [] });
  });

  it("count as not called where their own parser refuses the arguments", async () => {
    const { guard, sent, text } = await played([{ calls: [pay("a", 41)] }, DONE], how);
    expect(sent).toEqual([]);
    expect(text).toContain("41 is no amount");
    expect(counted(guard)).toMatchObject({ paid: 0, unsettled: [] });
  });
});

describe("a stream of messages", () => {
  const turn = { text: "Zahlung läuft … ", calls: [pay("a", 30), pay("b", 40)] };
  const bytes = bytesOf(messagesWire, turn);
  /** Few enough places for every test run; every place is tried where bytes become events. */
  const STEP = 29;

  async function read(pieces: Buffer, at: number) {
    const guard = await opened();
    const bare = new Anthropic({ apiKey: "k", fetch: splitFetch(pieces, at), logLevel: "off", maxRetries: 0 });
    const seen = { text: "", calls: "", isBroken: false };
    try {
      for await (const event of await guardClient(guard, bare).messages.create({ ...GO, stream: true })) {
        if (event.type === "content_block_start" && event.content_block.type === "tool_use") {
          seen.calls += ` ${event.content_block.id} `;
        }
        if (event.type !== "content_block_delta") continue;
        if (event.delta.type === "text_delta") seen.text += event.delta.text;
        if (event.delta.type === "input_json_delta") seen.calls += event.delta.partial_json;
      }
    } catch {
      seen.isBroken = true;
    }
    return { ...seen, paid: counted(guard).paid };
  }

  it("means the same wherever its bytes are split", async () => {
    for (let at = 0; at <= bytes.length; at += STEP) {
      const calls = ' a {"n":30} b {"n":40}';
      expect(await read(bytes, at)).toEqual({ text: turn.text, calls, isBroken: false, paid: 70 });
    }
  });

  it("gives no call away, and reserves none, wherever it ends too early", async () => {
    const last = bytes.indexOf("event: message_stop");
    for (let length = 0; length <= last; length += STEP) {
      const { calls, paid, isBroken } = await read(bytes.subarray(0, length), 0);
      expect({ calls, paid }).toEqual({ calls: "", paid: 0 });
      if (length > bytes.indexOf('"pay"')) expect(isBroken).toBe(true);
    }
  });
});

describe("a server made by others", () => {
  it.each([false, true])("is spoken to as the SDK does (stream: %s)", async (stream) => {
    const guard = await opened();
    const mock = new LLMock({ port: 0, logLevel: "silent" });
    mock.on(
      { hasToolResult: false },
      { toolCalls: [70, 30].map((n) => ({ name: "pay", arguments: JSON.stringify({ n }) })) },
    );
    mock.on({ hasToolResult: true }, { content: "Paid." });
    mock.nextRequestError(429, { message: "slow down", type: "rate_limit_error" });
    await mock.start();
    onTestFinished(() => mock.stop());
    const client = guardClient(guard, new Anthropic({ apiKey: "k", baseURL: mock.url }));
    const tools = [{ name: "pay", input_schema: { type: "object" as const } }];
    const { content } = stream
      ? await client.messages.stream({ ...GO, tools }).finalMessage()
      : await client.messages.create({ ...GO, tools });
    expect(content).toMatchObject([{ type: "text", text: "Paid." }]);
    expect(counted(guard)).toEqual({ steps: 2, toolCalls: 0, paid: 0, unsettled: [] });
  });
});
