import { Ajv2020 } from "ajv/dist/2020.js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AgentAnswer } from "../../src/pipelines/dispatch/agent.js";
import type { DispatchOptions } from "../../src/pipelines/dispatch/dispatch.js";
import { AGENT_RESPONSE_SCHEMA } from "../../src/pipelines/response/agent-response-schema.js";
import { RESPONSE_CONTRACT } from "../../src/pipelines/response/response-config.js";
import { AUTH, endpointOf } from "./endpoint.js";
import { respond } from "./platform/behaviour.js";
import type { DispatchResult } from "./platform/grade.js";
import { platformOf } from "./platform/platform-of.js";

beforeEach(() => {
  vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
});
afterEach(() => vi.restoreAllMocks());

type Answering = DispatchOptions["agent"];

/** Dispatches one run to an agent and grades its reply under the strict contract. */
async function graded(agent: Answering, { turn = false, rich = true } = {}): Promise<DispatchResult> {
  const platform = await platformOf();
  const run = platform.openRun({ tools: { look: respond({ a: [1] }), say: respond("pong") } });
  const responseContract = rich ? RESPONSE_CONTRACT : null;
  const url = await endpointOf({ agent, responseContract });
  const options = { authHeader: AUTH, userInstruction: "Look", responseContract, turn };
  return platform.dispatch(run, url, options);
}

const answering =
  (answer: unknown): Answering =>
  async () =>
    answer as AgentAnswer; // agents in JavaScript answer anything

const isByTheSchema = new Ajv2020().compile(AGENT_RESPONSE_SCHEMA);

const ANSWERS: readonly (readonly [string, unknown])[] = [
  ["a text", "done"],
  ["an object", { finalResponse: "done" }],
  ["the spelling of the wire", { final_response: "done" }],
  ["nothing", undefined],
  ["null", null],
  ["a number", 5],
  ["a list", ["done"]],
  ["an empty text", ""],
  ["blanks", " \n"],
  ["a final response that is no text", { finalResponse: { text: "done" } }],
  ["messages that are no list", { finalResponse: "done", messages: "x" }],
  ["messages of unknown roles", { finalResponse: "done", messages: [{ role: "developer", content: "x" }] }],
  ["messages without text", { finalResponse: "done", messages: [{ role: "assistant", content: null }] }],
  ["messages with an open call", { finalResponse: "done", messages: [{ role: "tool", content: "x" }] }],
  ["metadata that is no object", { finalResponse: "done", metadata: [1] }],
  ["metadata that is no JSON", { finalResponse: "done", metadata: { when: new Date(0), n: 1n } }],
  ["a cycle", Object.assign({ finalResponse: "done" }, { self: globalThis })],
  ["null in every field", { finalResponse: null, messages: null, metadata: null, message: null, sessionDone: null }],
  ["a hybrid call", hybrid()],
];

function hybrid(): unknown {
  const call = { id: "c", name: "a", function: { name: "b", arguments: "{}" } };
  return { finalResponse: "done", messages: [{ role: "assistant", content: "x", tool_calls: [call] }] };
}

describe("whatever an agent answers", () => {
  it.each(ANSWERS)("57, 60: the reply is sound and has a final response: %s", async (_, answer) => {
    const result = await graded(answering(answer));
    expect(result).toMatchObject({ status: 200, errorClass: null, judged: true });
    expect(isByTheSchema(result.body)).toBe(true);
    expect(result.answer).toMatch(/\S/);
    expect(result.softWarnings).toEqual([]);
  });

  it.each([[""], [undefined], [{}], [{ finalResponse: " " }]])(
    "58: an empty answer becomes a placeholder: %j",
    async (answer) => {
      expect((await graded(answering(answer))).answer).toBe("(no final response)");
    },
  );

  it("72: unknown keys are kept, in the metadata and at the top", async () => {
    const answer = {
      finalResponse: "done",
      extra: { a: 1 },
      metadata: { model: "m", custom: [1], total_input_tokens: 5 },
    };
    const { body } = await graded(answering(answer));
    expect(body).toMatchObject({
      extra: { a: 1 },
      metadata: { model: "m", custom: [1], total_input_tokens: 5, agent_runtime_ms: expect.any(Number) },
    });
    expect(Number.isInteger(Object(Object(body).metadata).agent_runtime_ms)).toBe(true);
  });

  it("its own runtime wins over the one that was measured", async () => {
    const { body } = await graded(answering({ finalResponse: "done", metadata: { agent_runtime_ms: 7 } }));
    expect(body).toMatchObject({ metadata: { agent_runtime_ms: 7 } });
  });
});

describe("the transcript", () => {
  const calling: Answering = async ({ callTool }) => {
    await callTool("look", { n: 1 });
    await Promise.all([callTool("say", {}), callTool("missing", { deep: { n: 2 } }).catch(() => null)]);
    return { finalResponse: "done" };
  };

  it("62 to 65: is made of the calls that were seen, each answered under its id", async () => {
    const { normalised } = await graded(calling);
    expect(normalised).toEqual([
      { role: "user", content: "Look" },
      { role: "assistant", tool_calls: [{ id: "call_1", name: "look", arguments: { n: 1 } }] },
      { role: "tool", tool_call_id: "call_1", content: '{"a":[1]}' },
      { role: "assistant", tool_calls: [{ id: "call_2", name: "say", arguments: {} }] },
      { role: "tool", tool_call_id: "call_2", content: "pong" },
      { role: "assistant", tool_calls: [{ id: "call_3", name: "missing", arguments: { deep: { n: 2 } } }] },
      { role: "tool", tool_call_id: "call_3", content: expect.stringContaining('"error":"tool_failed"') },
      { role: "assistant", content: "done" },
    ]);
  });

  it("69: emits no call with both a name and a function, and no null for what is not there", async () => {
    const { text } = await graded(calling);
    expect(text).not.toContain('"function"');
    expect(text).not.toContain(":null");
  });

  it("is the agent's own where that holds, with nested calls made flat and the answer at its end", async () => {
    const own = [
      { role: "user", content: "Look" },
      { role: "assistant", tool_calls: [{ id: "x", type: "function", function: { name: "look", arguments: "{}" } }] },
      { role: "tool", tool_call_id: "x", content: "1" },
    ];
    const { normalised } = await graded(async (context) => {
      await calling(context);
      return { finalResponse: "done", messages: own };
    });
    expect(normalised).toEqual([
      own[0],
      { role: "assistant", tool_calls: [{ id: "x", name: "look", arguments: "{}" }] },
      own[2],
      { role: "assistant", content: "done" },
    ]);
    const said = [...own, { role: "assistant", content: " done " }];
    expect((await graded(answering({ finalResponse: "done", messages: said }))).normalised).toHaveLength(4);
  });

  it("replaces one of the agent's that is malformed", async () => {
    const { normalised } = await graded(async (context) => {
      await context.callTool("say", {});
      return { finalResponse: "done", messages: [{ role: "robot", content: "x" }] };
    });
    expect(normalised?.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
  });

  it("61, 80: is there without a contract too, where it is not required", async () => {
    const result = await graded(answering("done"), { rich: false });
    expect(result).toMatchObject({ errorClass: null, judged: true });
    expect(result.normalised).toHaveLength(2);
  });
});

describe("a turn", () => {
  it("83, 84: is answered with `message`, and with `session_done`, `messages` and `metadata` where given", async () => {
    const result = await graded(answering({ message: "Which order?", sessionDone: false, metadata: { model: "m" } }), {
      turn: true,
    });
    expect(result).toMatchObject({ errorClass: null, judged: true, answer: "Which order?", sessionDone: false });
    expect(result.body).toMatchObject({ message: "Which order?", session_done: false, metadata: { model: "m" } });
    expect(result.body).not.toHaveProperty("final_response");
  });

  it("86: holds its own assistant message under the contract", async () => {
    const result = await graded(answering({ message: "Which order?" }), { turn: true });
    expect(result.normalised?.at(-1)).toEqual({ role: "assistant", content: "Which order?" });
    const own = { message: "Which order?", messages: [{ role: "assistant", content: "something else" }] };
    expect((await graded(answering(own), { turn: true })).normalised?.at(-1)?.content).toBe("Which order?");
  });

  it("may end the session without a word of its own", async () => {
    const result = await graded(answering({ session_done: true, final_response: "Goodbye" }), { turn: true });
    expect(result).toMatchObject({ errorClass: null, answer: "Goodbye", sessionDone: true });
    const silent = await graded(answering({ sessionDone: true }), { turn: true });
    expect(silent).toMatchObject({ errorClass: null, answer: "(no final response)", sessionDone: true });
  });
});
