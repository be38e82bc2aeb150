import { describe, expect, it } from "vitest";
import type { Call } from "./reference/history.js";
import { valueChecks } from "./reference/value-checks.js";
import { start } from "./scenario.js";
import { EXPRESSIONS } from "./scenarios/expressions.js";
import { KEYED_SLOTS } from "./scenarios/keyed-slots.js";
import { needs, packOf, toolOf } from "./scenarios/language-1-1.js";
import { UNIONS } from "./scenarios/unions.js";

describe.each([
  ["keyed slots", KEYED_SLOTS],
  ["unions", UNIONS],
  ["expressions", EXPRESSIONS],
])("the reference guard of language 1.1: %s", (_, scenarios) => {
  it.each(scenarios.map((scenario) => [scenario.sentence, scenario] as const))("%s", (_sentence, scenario) => {
    const play = start(scenario.pack, scenario.options);
    expect(scenario.steps.map(([step]) => step(play))).toEqual(scenario.steps.map(([, word]) => word));
  });
});

/** A call of tool `a` that counts. */
function counted(who: number): Call {
  const output = { kind: "none" } as const;
  return { callId: `call-${who}`, tool: "a", args: { who }, step: "own", open: null, effect: "committed", output };
}

/** What the aggregate of a pack says to a call after so many others, each under a value of its own. */
function judgedAfter(values: number, who: number): readonly string[] {
  const aggregates = [{ name: "calls", metric: "count", tool: "a", per: "$.who", lte: 2, reason: "because" }];
  const pack = packOf([toolOf("a", {})], { aggregates });
  const world = { commits: [], counted: Array.from({ length: values }, (_, at) => counted(at)), ended: [] };
  const calls = { all: [], commits: [], ended: [] };
  const options = { principal: null, env: {}, unmatched: "block", mode: "enforce", approver: null } as const;
  const situation = { pack, options: { ...options, clock: { now: () => 0 } }, events: [], calls, worlds: [world] };
  const checks = [...valueChecks({ ...situation, tool: "a", contract: null, args: { who } })];
  return checks.map((check) => check.judge(world));
}

describe("the reference guard of language 1.1", () => {
  it("refuses the call that would need one value too many, and no other", () => {
    expect(judgedAfter(9_999, 9_999)).toEqual(["pass"]);
    expect(judgedAfter(10_000, 10_000)).toEqual(["aggregate_full"]);
    expect(judgedAfter(10_000, 5)).toEqual(["pass"]);
  });

  it("refuses to start without a principal where an expression looks at one", () => {
    const needy = packOf([needs("a", "[1].all(x, x == principal.level)")]);
    expect(() => start(needy)).toThrow("the pack needs a principal");
    expect(() => start(packOf([needs("a", "[1].all(principal, principal == 1)")]))).not.toThrow();
  });
});
