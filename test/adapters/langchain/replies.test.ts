import { describe, expect, it } from "vitest";
import { bare, DONE, describeReplies, pay } from "../agent-replies.js";
import { resultOf, resultsIn } from "../chat-server.js";
import { desk } from "./harness.js";

const MODES = ["invoke", "stream"] as const;
type Mode = (typeof MODES)[number];

type Agent = Awaited<ReturnType<typeof desk>>;

/** The text that a run ended with, or the message of its error. */
async function runOf({ agent, input, config, run }: Agent, mode: Mode): Promise<string> {
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

describeReplies({ modes: MODES, desk, run: runOf });

describe.each(MODES)("an agent of LangChain that is used by %s", (mode) => {
  it("begins one step for all attempts of a request", async () => {
    const agent = await desk([{ status: 500 }, { calls: [pay("a", 10)] }, DONE]);
    await runOf(agent, mode);
    expect(agent.server.requests).toHaveLength(3);
    expect(agent.guard.state().steps).toBe(2);
    expect(agent.log).toEqual(["pay 10"]);
  });

  it("fails where the server keeps refusing, with nothing reserved", async () => {
    const agent = await desk([{ status: 429 }]);
    expect(await runOf(agent, mode)).toContain("429");
    expect(agent.guard.state()).toMatchObject({ steps: 1, toolCalls: 0, unsettled: [] });
  });
});

describe("arguments", () => {
  it("that do not fit the schema of their tool release their call, because it was not executed", async () => {
    const agent = await desk([{ calls: [bare("a", "fail")] }, DONE]);
    const { log, guard, server } = agent;
    await runOf(agent, "invoke");
    expect(resultOf(server.requests[1], "a")).toContain("did not match expected schema");
    expect(log).toEqual([]);
    expect(guard.state()).toMatchObject({ toolCalls: 0, unsettled: [] });
  });

  it("that are no JSON are not executed, although a stream of LangChain reads part of them", async () => {
    const calls = [pay("a", 10), { id: "b", name: "pay", args: '{"n": 4' }];
    const agent = await desk([{ calls }, { calls: [pay("c", 4)] }, DONE]);
    const { log, guard, server } = agent;
    await runOf(agent, "stream");
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
