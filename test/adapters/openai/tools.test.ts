import { LLMock } from "@copilotkit/aimock";
import OpenAI from "openai";
import { describe, expect, it, onTestFinished } from "vitest";
import { guardClient, guardTools } from "../../../src/adapters/openai/public.js";
import type { Guard } from "../../../src/guard/guard-api.js";
import { counted, DONE, look, opened, pay } from "../client/pack.js";
import type { Turn } from "../client/wire.js";
import { clientOf, MODEL } from "./harness.js";

const parameters = { type: "object" as const };

/** Tools that say what they were called with. */
function desk(sent: unknown[] = []) {
  const parse = (text: string) => {
    const args: { readonly n?: number } = JSON.parse(text);
    if (args.n === 41) throw new Error("41 is no amount");
    return { ...args, currency: "EUR" };
  };
  const paying = async (args: object) => {
    sent.push(args);
    await new Promise((resolve) => setTimeout(resolve, 5));
    return { ok: true };
  };
  const looking = (text: string) => {
    sent.push(text);
    return "an order";
  };
  return [
    { type: "function" as const, function: { name: "pay", description: "pays", parameters, parse, function: paying } },
    { type: "function" as const, function: { name: "look", description: "looks", parameters, function: looking } },
  ];
}

async function played(turns: readonly Turn[], stream = false) {
  const sent: unknown[] = [];
  const { guard, client, received } = await clientOf({ turns }, "chat");
  const tools = guardTools(guard, desk(sent));
  const messages = [{ role: "user" as const, content: "go" }];
  const runner = stream
    ? client.chat.completions.runTools({ model: MODEL, messages, tools, stream: true })
    : client.chat.completions.runTools({ model: MODEL, messages, tools });
  await runner.done();
  const results = runner.messages.flatMap((message) => (message.role === "tool" ? [String(message.content)] : []));
  return { guard, received, sent, results };
}

describe.each([false, true])("tools of `runTools` (stream: %s)", (stream) => {
  it("run under their contracts, in parallel, with their own parsers", async () => {
    const { guard, sent, results } = await played([{ calls: [pay("a", 30), pay("b", 40), look("c")] }, DONE], stream);
    // A tool with a parser starts a moment later.
    expect(sent).toHaveLength(3);
    expect(sent).toEqual(expect.arrayContaining([{ n: 30, currency: "EUR" }, { n: 40, currency: "EUR" }, "{}"]));
    expect(results).toEqual(['{"ok":true}', '{"ok":true}', "an order"]);
    expect(counted(guard)).toEqual({ steps: 2, toolCalls: 3, paid: 70, unsettled: [] });
  });

  it("tell the model of refusals, until it corrects itself", async () => {
    const turns = [{ calls: [pay("a", 70), look("b")] }, { calls: [pay("c", 60 - 25)] }, DONE];
    const { guard, sent, results } = await played(turns, stream);
    expect(sent).toEqual([{ n: 35, currency: "EUR" }]);
    expect(results[0]).toContain("because: Nobody pays more than 60 at once");
    expect(results[1]).toContain("not made, because another call of the same reply was refused");
    expect(counted(guard)).toMatchObject({ steps: 3, paid: 35, unsettled: [] });
  });

  it("count as not called where their own parser refuses the arguments", async () => {
    const { guard, sent, results } = await played([{ calls: [pay("a", 41)] }, DONE], stream);
    expect({ sent, results }).toEqual({ sent: [], results: ["41 is no amount"] });
    expect(counted(guard)).toMatchObject({ paid: 0, unsettled: [] });
  });

  it("wait for approvals", async () => {
    const { guard, client } = await clientOf({ turns: [{ calls: [pay("a", 55)] }, DONE] }, "chat");
    guard.on("approval_requested", ({ approvalId }) => void guard.approve(approvalId, { by: "ann" }));
    const messages = [{ role: "user" as const, content: "go" }];
    const runner = client.chat.completions.runTools({ model: MODEL, messages, tools: guardTools(guard, desk()) });
    expect(await runner.finalContent()).toBe("All done.");
    expect(counted(guard)).toMatchObject({ paid: 55, unsettled: [] });
  });
});

describe("tools without a guarded client", () => {
  it("are guarded too, and each call is judged when it is executed", async () => {
    const guard = await opened();
    const [paying] = guardTools(guard, desk());
    const run = (text: string): unknown => Reflect.apply(paying?.function.function ?? String, undefined, [text]);
    expect(await run('{"n":30}')).toEqual({ ok: true });
    expect(await run('{"n":70}')).toContain("input_invariant_failed");
    expect(await run("{")).toContain("refused by contract (arguments_not_json)");
    expect(counted(guard)).toMatchObject({ paid: 30 });
  });
});

/** A server that others have made for tests like these. */
async function mocked(guard: Guard, prepare: (mock: LLMock) => void) {
  const mock = new LLMock({ port: 0, logLevel: "silent" });
  prepare(mock);
  await mock.start();
  onTestFinished(() => mock.stop());
  return { mock, client: guardClient(guard, new OpenAI({ apiKey: "k", baseURL: `${mock.url}/v1` })) };
}

describe("a server made by others", () => {
  it.each([false, true])("is spoken to as the SDK does (stream: %s)", async (stream) => {
    const guard = await opened();
    const { client } = await mocked(guard, (mock) => {
      mock.on(
        { userMessage: "pay", hasToolResult: false },
        { toolCalls: [70, 30].map((n) => ({ name: "pay", arguments: JSON.stringify({ n }) })) },
      );
      mock.on({ userMessage: "pay", hasToolResult: true }, { content: "Paid." });
    });
    const tools = guardTools(guard, desk());
    const messages = [{ role: "user" as const, content: "pay" }];
    const runner = stream
      ? client.chat.completions.runTools({ model: MODEL, messages, tools, stream: true })
      : client.chat.completions.runTools({ model: MODEL, messages, tools });
    expect(await runner.finalContent()).toBe("Paid.");
    expect(counted(guard)).toEqual({ steps: 2, toolCalls: 0, paid: 0, unsettled: [] });
  });

  it("is asked again after a 429, within one step", async () => {
    const guard = await opened();
    const { client } = await mocked(guard, (mock) => {
      mock.nextRequestError(429, { message: "slow down", type: "rate_limit_error" });
      mock.onMessage("hi", { content: "Hello." });
    });
    const messages = [{ role: "user" as const, content: "hi" }];
    const { choices } = await client.chat.completions.create({ model: MODEL, messages });
    expect(choices[0]?.message.content).toBe("Hello.");
    expect(counted(guard)).toMatchObject({ steps: 1 });
  });
});
