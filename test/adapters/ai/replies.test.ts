import { describe, expect, it } from "vitest";
import { resultsIn, type ScriptedReply } from "../chat-server.js";
import { desk } from "./harness.js";

const pay = (id: string, n: number) => ({ id, name: "pay", args: { n } });
const bare = (id: string, name: string) => ({ id, name, args: {} });
const DONE: ScriptedReply = { text: "done" };
const REFUSED = expect.stringMatching(
  /refused by contract \(input_invariant_failed\): .*because: Nobody pays more than 60 at once; hint: /,
);

describe.each(["generate", "stream"] as const)("%sText", (mode) => {
  it("feeds refusals back until the model corrects itself", async () => {
    const { run, log, guard, server } = await played(mode, [
      { calls: [pay("a", 70)] },
      { calls: [pay("b", 61)] },
      { calls: [pay("c", 20)] },
      DONE,
    ]);
    expect(run).toBe("done");
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

  it("leaves arguments that are no JSON, or do not fit, to the SDK, and reserves nothing for them", async () => {
    const calls = [
      { id: "a", name: "pay", args: '{"n": 4' },
      { id: "b", name: "pay", args: { n: "all" } },
      pay("c", 10),
    ];
    const { log, guard, server } = await played(mode, [{ calls }, DONE]);
    expect(log).toEqual(["pay 10"]);
    expect(resultsIn(server.requests[1])).toMatchObject({
      a: expect.stringContaining("Invalid input for tool pay"),
      b: expect.stringContaining("Invalid input for tool pay"),
    });
    expect(guard.state()).toMatchObject({ toolCalls: 1, aggregates: { paid: 10 }, unsettled: [] });
  });

  it("offers what can be called now, and says what cannot", async () => {
    const script = [{ calls: [bare("a", "file")] }, { calls: [bare("b", "look")] }, DONE];
    const { log, server } = await played(mode, script, { narrowing: "explain" });
    const offered = server.requests.map(({ tools }) => tools?.map((each) => each.function.name).includes("look"));
    expect(offered).toEqual([true, false, false]);
    expect(server.requests[1]?.messages[0]).toEqual({
      role: "system",
      content: "These tools cannot be called at this point: look (phase_not_allowed).",
    });
    expect(resultsIn(server.requests[2])).toMatchObject({
      b: expect.stringContaining("phase_not_allowed"),
    });
    expect(log).toEqual(["file"]);
  });

  it("begins one step for all attempts of a request", async () => {
    const limited = { status: 429, headers: { "retry-after-ms": "1" } };
    const { guard, server, log } = await played(mode, [limited, limited, { calls: [pay("a", 10)] }, DONE]);
    expect(server.requests).toHaveLength(4);
    expect(guard.state().steps).toBe(2);
    expect(log).toEqual(["pay 10"]);
  });

  it("fails where the server keeps refusing, with nothing reserved", async () => {
    const { run, guard } = await played(mode, [{ status: 429, headers: { "retry-after-ms": "1" } }]);
    expect(run).toMatch(/Failed after 3 attempts/);
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
    // Two replies of 100 and 10 tokens.
    expect(guard.state().cost).toBeCloseTo(0.4, 10);
  });

  it("asks nothing of a model without a price", async () => {
    const { run, server } = await played(mode, [DONE], { prices: { other: { input: 1, output: 1 } } });
    expect(run).toContain("no price is given for the model `gpt-4o-2024-08-06`");
    expect(server.requests).toEqual([]);
  });

  it("ends with the session", async () => {
    const agent = await desk([DONE]);
    await agent.guard.kill("over");
    expect(await runOf(agent, mode)).toContain("session_killed");
    expect(agent.server.requests).toEqual([]);
  });
});

describe("a stream", () => {
  it.each([1, 7, 64])("is judged the same in pieces of %i bytes", async (size) => {
    const script = [{ text: "first this", calls: [pay("a", 10), pay("b", 20)] }, DONE];
    const agent = await desk(script, {}, size);
    const { types, errors } = await agent.stream();
    expect(errors).toEqual([]);
    expect(agent.log).toEqual(["pay 10", "pay 20"]);
    expect(types.filter((type) => type === "tool-result")).toHaveLength(2);
  });

  it("passes text on at once, and a call after it was judged", async () => {
    const script = [{ text: "first this", calls: [pay("a", 10)] }, DONE];
    const agent = await desk(script, {}, 40);
    const seen: string[] = [];
    agent.guard.on("decision", () => seen.push("judged"));
    const { streamText } = await import("ai");
    const { fullStream } = streamText({ ...agent.settings, prompt: "go" });
    for await (const { type } of fullStream) if (/^text-delta|^tool-(?:input|call)/.test(type)) seen.push(type);
    expect(seen.indexOf("text-delta")).toBe(0);
    expect(seen.indexOf("judged")).toBeLessThan(seen.indexOf("tool-input-start"));
  });

  it("that is cut has no calls", async () => {
    const whole = [{ text: "first this", calls: [pay("a", 10)] }];
    const agent = await desk([{ ...whole[0], cutAfter: 2_300 }], {}, 100);
    const { types } = await agent.stream();
    expect(types).toContain("text-delta");
    expect(types.filter((type) => type.startsWith("tool-"))).toEqual([]);
    expect(agent.log).toEqual([]);
    expect(agent.guard.state()).toMatchObject({ toolCalls: 0, unsettled: [] });
  });

  it("that ends for its length has no calls", async () => {
    const agent = await desk([{ calls: [pay("a", 10)], finish: "length" }]);
    await agent.stream();
    expect(agent.log).toEqual([]);
    expect(agent.guard.state().unsettled).toEqual([]);
  });
});

type Agent = Awaited<ReturnType<typeof desk>>;

/** The text that a run ended with, or the message of its error. */
async function runOf(agent: Agent, mode: "generate" | "stream"): Promise<string> {
  try {
    if (mode === "generate") return (await agent.generate()).text;
    const { result, errors } = await agent.stream();
    const [error] = errors;
    return error instanceof Error ? error.message : await result.text;
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
}

async function played(
  mode: "generate" | "stream",
  script: readonly ScriptedReply[],
  options?: Parameters<typeof desk>[1],
) {
  const agent = await desk(script, options);
  return { ...agent, run: await runOf(agent, mode) };
}
