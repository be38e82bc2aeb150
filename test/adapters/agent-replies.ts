import { describe, expect, it } from "vitest";
import type { Gate } from "../../src/adapters/core/gate.js";
import type { Narrowing } from "../../src/adapters/core/narrowing.js";
import type { Prices } from "../../src/adapters/core/usage-cost.js";
import type { Guard } from "../../src/guard/guard-api.js";
import { type ChatServer, resultOf, resultsIn, type ScriptedReply } from "./chat-server.js";

export const pay = (id: string, n: number) => ({ id, name: "pay", args: { n } });
export const bare = (id: string, name: string) => ({ id, name, args: {} });
export const DONE: ScriptedReply = { text: "done" };

/** How the calls of a guard ended, in their order. */
export function endings(guard: Guard): readonly unknown[] {
  const all: unknown[] = [];
  guard.on("settled", ({ ending }) => all.push(ending));
  return all;
}

/** An agent with the tools of the desk, whose model follows a script. */
export interface Desk {
  /** What its tools did. */
  readonly log: readonly string[];
  readonly guard: Guard;
  readonly server: ChatServer;
}

/** The options that all frameworks share. */
export interface DeskOptions {
  readonly gate?: Gate;
  readonly narrowing?: Narrowing;
  readonly prices?: Prices;
}

/** A framework, as its tests use it. */
interface Framework<A extends Desk, M extends string> {
  readonly modes: readonly M[];
  readonly desk: (script: readonly ScriptedReply[], options?: DeskOptions) => Promise<A>;
  /** The text that a run ends with, or the message of its error. */
  readonly run: (agent: A, mode: M) => Promise<string>;
}

/** Some versions of a framework write the name of the error before it, or put it into JSON. */
const REFUSED = expect.stringMatching(
  /refused by contract \(input_invariant_failed\): .*because: Nobody pays more than 60 at once; hint: /,
);

/** What every framework does with the replies of a model. */
export function describeReplies<A extends Desk, M extends string>({ modes, desk, run }: Framework<A, M>): void {
  describe.each(modes)("an agent that is used by %s", (mode) => {
    const played = async (script: readonly ScriptedReply[], options?: DeskOptions) => {
      const agent = await desk(script, options);
      return { ...agent, ended: await run(agent, mode) };
    };

    it("gets refusals until its model corrects itself", async () => {
      const script = [{ calls: [pay("a", 70)] }, { calls: [pay("b", 61)] }, { calls: [pay("c", 20)] }, DONE];
      const { ended, log, guard, server } = await played(script);
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
      const { log, guard, server } = await played([{ calls }, DONE], { gate });
      expect(log).toEqual(made);
      expect(resultsIn(server.requests[1])).toMatchObject({ b: REFUSED });
      expect(guard.state().unsettled).toEqual([]);
    });

    it("counts parallel calls against one limit", async () => {
      const calls = [pay("a", 40), pay("b", 40), pay("c", 40)];
      const { log, guard } = await played([{ calls }, DONE], { gate: "strip_blocked" });
      expect(log).toEqual(["pay 40", "pay 40"]);
      expect(guard.state().aggregates).toEqual({ paid: 80 });
    });

    it("offers what can be called now, and says what cannot", async () => {
      const script = [{ calls: [bare("a", "file")] }, { calls: [bare("b", "look")] }, DONE];
      const { log, server } = await played(script, { narrowing: "explain" });
      const offered = server.requests.map(({ tools }) => tools?.map((each) => each.function.name).includes("look"));
      expect(offered).toEqual([true, false, false]);
      expect(server.requests[1]?.messages[0]?.role).toBe("system");
      expect(JSON.stringify(server.requests[1]?.messages[0]?.content)).toContain(
        "These tools cannot be called at this point: look (phase_not_allowed).",
      );
      expect(resultOf(server.requests[2], "b")).toContain("phase_not_allowed");
      expect(log).toEqual(["file"]);
    });

    it("makes one call of an id that comes again", async () => {
      const { log, server } = await played([{ calls: [pay("a", 10)] }, { calls: [pay("a", 10)] }, DONE]);
      expect(log).toEqual(["pay 10"]);
      const results = server.requests[2]?.messages.filter(({ role }) => role === "tool");
      expect(results?.at(-1)?.content).toContain("call_key_used");
    });

    it("records what replies cost", async () => {
      const prices = { "gpt-4o": { input: 1_000, output: 10_000 } };
      const { guard } = await played([{ calls: [pay("a", 10)] }, DONE], { prices });
      // Two replies of 100 and 10 tokens.
      expect(guard.state().cost).toBeCloseTo(0.4, 10);
    });

    it("asks nothing of a model without a price", async () => {
      const { ended, server } = await played([DONE], { prices: { other: { input: 1, output: 1 } } });
      expect(ended).toContain("no price is given for the model `gpt-4o-2024-08-06`");
      expect(server.requests).toEqual([]);
    });

    it("ends by the circuit breaker where its model never corrects itself", async () => {
      const script = Array.from({ length: 7 }, (_, at) => ({ calls: [pay(`call_${at}`, 70)] }));
      const { ended, log, guard, server } = await played(script);
      expect(ended).toContain("session_killed");
      expect(server.requests).toHaveLength(5);
      expect({ log, killed: guard.state().killed }).toEqual({ log: [], killed: true });
    });

    it("ends with the session", async () => {
      const agent = await desk([DONE]);
      await agent.guard.kill("over");
      expect(await run(agent, mode)).toContain("session_killed");
      expect(agent.server.requests).toEqual([]);
    });
  });
}
