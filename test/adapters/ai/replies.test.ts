import { describe, expect, it } from "vitest";
import { DONE, describeReplies, pay } from "../agent-replies.js";
import { resultsIn } from "../chat-server.js";
import { desk } from "./harness.js";

const MODES = ["generate", "stream"] as const;
type Agent = Awaited<ReturnType<typeof desk>>;

/** The text that a run ended with, or the message of its error. */
async function run(agent: Agent, mode: (typeof MODES)[number]): Promise<string> {
  try {
    if (mode === "generate") return (await agent.generate()).text;
    const { result, errors } = await agent.stream();
    const [error] = errors;
    return error instanceof Error ? error.message : await result.text;
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
}

describeReplies({ modes: MODES, desk, run });

describe.each(MODES)("%sText", (mode) => {
  it("leaves arguments that are no JSON, or do not fit, to the SDK, and reserves nothing for them", async () => {
    const calls = [
      { id: "a", name: "pay", args: '{"n": 4' },
      { id: "b", name: "pay", args: { n: "all" } },
      pay("c", 10),
    ];
    const agent = await desk([{ calls }, DONE]);
    await run(agent, mode);
    expect(agent.log).toEqual(["pay 10"]);
    expect(resultsIn(agent.server.requests[1])).toMatchObject({
      a: expect.stringContaining("Invalid input for tool pay"),
      b: expect.stringContaining("Invalid input for tool pay"),
    });
    expect(agent.guard.state()).toMatchObject({ toolCalls: 1, aggregates: { paid: 10 }, unsettled: [] });
  });

  it("begins one step for all attempts of a request", async () => {
    const limited = { status: 429, headers: { "retry-after-ms": "1" } };
    const agent = await desk([limited, limited, { calls: [pay("a", 10)] }, DONE]);
    await run(agent, mode);
    expect(agent.server.requests).toHaveLength(4);
    expect(agent.guard.state().steps).toBe(2);
    expect(agent.log).toEqual(["pay 10"]);
  });

  it("fails where the server keeps refusing, with nothing reserved", async () => {
    const agent = await desk([{ status: 429, headers: { "retry-after-ms": "1" } }]);
    expect(await run(agent, mode)).toMatch(/Failed after 3 attempts/);
    expect(agent.guard.state()).toMatchObject({ steps: 1, toolCalls: 0, unsettled: [] });
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
