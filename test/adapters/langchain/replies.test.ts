import { describe, expect, it } from "vitest";
import { resultOf, resultsIn, type ScriptedReply } from "../chat-server.js";
import { desk } from "./harness.js";

const pay = (id: string, n: number) => ({ id, name: "pay", args: { n } });
const bare = (id: string, name: string) => ({ id, name, args: {} });
const DONE: ScriptedReply = { text: "done" };
const REFUSED = expect.stringMatching(
  /^refused by contract \(input_invariant_failed\): .*because: Nobody pays more than 60 at once; hint: /,
);

type Agent = Awaited<ReturnType<typeof desk>>;

/** The text that a run ended with, or the message of its error. */
async function runOf({ agent, input, config, run }: Agent, mode: "invoke" | "stream"): Promise<string> {
  try {
    if (mode === "invoke") return (await run()).messages.at(-1)?.text ?? "";
    let text = "";
    for await (const [message] of await agent.stream(input, { ...config, streamMode: "messages" }))
      text += message.text;
    return text;
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
}

async function played(
  mode: "invoke" | "stream",
  script: readonly ScriptedReply[],
  options?: Parameters<typeof desk>[1],
) {
  const agent = await desk(script, options);
  return { ...agent, ended: await runOf(agent, mode) };
}

describe.each(["invoke", "stream"] as const)("an agent that is used by %s", (mode) => {
  it("gets refusals until its model corrects itself", async () => {
    const { ended, log, guard, server } = await played(mode, [
      { calls: [pay("a", 70)] },
      { calls: [pay("b", 61)] },
      { calls: [pay("c", 20)] },
      DONE,
    ]);
    expect(ended).toContain("done");
    expect(resultsIn(server.requests[3])).toEqual({ a: REFUSED, b: REFUSED, c: '{"ok":true}' });
    expect(log).toEqual(["pay 20"]);
    expect(guard.state()).toMatchObject({ steps: 4, toolCalls: 1, aggregates: { paid: 20 }, unsettled: [] });
  });

  it.each([
    ["reject_all", []],
    ["strip_partial", ["pay 10"]],
    ["strip_blocked", ["pay 10", "pay 20"]],
  ] as const)("executes of parallel calls what the gate %s lets through", async (gate, made) => {
    const calls = [pay("a", 10), pay("b", 70), pay("c", 20)];
    const { log, guard, server } = await played(mode, [{ calls }, DONE], { gate });
    expect(log).toEqual(made);
    expect(resultsIn(server.requests[1])).toMatchObject({ b: REFUSED });
    expect(guard.state().unsettled).toEqual([]);
  });

  it("counts parallel calls against one limit", async () => {
    const calls = [pay("a", 40), pay("b", 40), pay("c", 40)];
    const { log, guard } = await played(mode, [{ calls }, DONE], { gate: "strip_blocked" });
    expect(log).toEqual(["pay 40", "pay 40"]);
    expect(guard.state().aggregates).toEqual({ paid: 80 });
  });

  it("offers what can be called now, and says what cannot", async () => {
    const script = [{ calls: [bare("a", "file")] }, { calls: [bare("b", "look")] }, DONE];
    const { log, server } = await played(mode, script, { narrowing: "explain" });
    const offered = server.requests.map(({ tools }) => tools?.map((each) => each.function.name).includes("look"));
    expect(offered).toEqual([true, false, false]);
    expect(JSON.stringify(server.requests[1]?.messages[0])).toContain(
      "These tools cannot be called at this point: look (phase_not_allowed).",
    );
    expect(resultOf(server.requests[2], "b")).toContain("phase_not_allowed");
    expect(log).toEqual(["file"]);
  });

  it("fails where the server keeps refusing, with nothing reserved", async () => {
    const { ended, guard } = await played(mode, [{ status: 429 }]);
    expect(ended).toContain("429");
    expect(guard.state()).toMatchObject({ steps: 1, toolCalls: 0, unsettled: [] });
  });

  it("makes one call of an id that comes again", async () => {
    const { log, server } = await played(mode, [{ calls: [pay("a", 10)] }, { calls: [pay("a", 10)] }, DONE]);
    expect(log).toEqual(["pay 10"]);
    const results = server.requests[2]?.messages.filter(({ role }) => role === "tool");
    expect(results?.at(-1)?.content).toContain("call_key_used");
  });

  it("records what replies cost", async () => {
    const prices = { "gpt-4o": { input: 1_000, output: 10_000 } };
    const { guard } = await played(mode, [{ calls: [pay("a", 10)] }, DONE], { prices });
    expect(guard.state().cost).toBeCloseTo(0.4, 10);
  });

  it("ends with the session", async () => {
    const agent = await desk([DONE]);
    await agent.guard.kill("over");
    expect(await runOf(agent, mode)).toContain("session_killed");
    expect(agent.server.requests).toEqual([]);
  });
});

describe("arguments", () => {
  it("that do not fit the schema of their tool release their call, because it was not executed", async () => {
    const { log, guard, server } = await played("invoke", [{ calls: [bare("a", "fail")] }, DONE]);
    expect(resultOf(server.requests[1], "a")).toContain("did not match expected schema");
    expect(log).toEqual([]);
    expect(guard.state()).toMatchObject({ toolCalls: 0, unsettled: [] });
  });

  it("that are no JSON are not executed, although a stream of LangChain reads part of them", async () => {
    const calls = [pay("a", 10), { id: "b", name: "pay", args: '{"n": 4' }];
    const { log, guard, server } = await played("stream", [{ calls }, { calls: [pay("c", 4)] }, DONE]);
    expect(resultsIn(server.requests[1])).toMatchObject({
      a: expect.stringContaining("response_unreadable"),
      b: expect.stringContaining("response_unreadable"),
    });
    expect(log).toEqual(["pay 4"]);
    expect(guard.state()).toMatchObject({ toolCalls: 1, unsettled: [] });
  });
});

describe("a stream", () => {
  it.each([1, 7, 64])("is judged the same in pieces of %i bytes", async (size) => {
    const agent = await desk([{ text: "first this", calls: [pay("a", 10), pay("b", 20)] }, DONE], {}, size);
    expect(await runOf(agent, "stream")).toContain("done");
    expect(agent.log).toEqual(["pay 10", "pay 20"]);
  });

  it("that is cut has no calls", async () => {
    const agent = await desk([{ text: "first this", calls: [pay("a", 10)], cutAfter: 2_300 }], {}, 100);
    await runOf(agent, "stream");
    expect(agent.log).toEqual([]);
    expect(agent.guard.state()).toMatchObject({ toolCalls: 0, unsettled: [] });
  });
});
