import { describe, expect, it } from "vitest";
import { REASONS, type Reason } from "../../src/artifact/reasons.js";
import { seedOf } from "../support/seed.js";
import { sizeOf } from "../support/size.js";
import { WORKFLOW_REASONS } from "../support/workflow-reasons.js";
import { runCases } from "./run.js";

const SEED = seedOf("DIFFERENTIAL_SEED", 1);
const DECISIONS = sizeOf("DIFFERENTIAL_DECISIONS", { share: 10_000, full: 200_000 });

/** A reason that hardly ever occurs is not really compared; one that takes real time each time may be rarer. */
const OFTEN = DECISIONS < 100_000 ? 1 : DECISIONS / 2_000;
const RARE: Readonly<Partial<Record<Reason, number>>> = { store_contended: Math.min(OFTEN, DECISIONS / 20_000) };

/** Reasons that no operation of a duel leads to. */
const OUTSIDE: Readonly<Partial<Record<Reason, string>>> = {
  ...WORKFLOW_REASONS,
  artifact_changed: "no guard is made then, so that there is none to compare",
  provider_incompatible: "requests are judged by checkRequest, which proposes nothing",
  response_format_violated: "responses are judged by checkResponse, which proposes nothing",
  response_unreadable: "responses are judged by checkResponse, which proposes nothing",
  aggregate_full: "no session of a duel has 10,000 values; the limit has tests of its own",
  tool_definition_changed: "definitions are compared by the MCP adapter, which proposes nothing then",
  unjudgeable_cost: "small packs and arguments never take that much work; the budget has tests of its own",
  guard_fault: "a bug of the guard itself, and the duel knows of none; a failing store has reasons of its own",
};

/** What has no reason, but has to happen often too. */
const ALSO = [
  "recorded",
  "resumed",
  "acknowledged as true",
  "acknowledged as false",
  "no_late_result",
  "reopened",
  "reopened from a snapshot",
];

describe("the guard against the reference guard", () => {
  it(
    "gives the same answers on generated packs and sessions, for every reason there is",
    async () => {
      const started = performance.now();
      const run = await runCases({ seed: SEED, decisions: DECISIONS });
      const { decisions, packs, withExpressions, perReason, mismatch, stalls } = run;
      expect(mismatch?.text ?? "no difference").toBe("no difference");
      const seconds = (performance.now() - started) / 1000;
      const speed = `${Math.round(decisions / seconds)} a second`;
      console.info(`${decisions} decisions on ${packs} packs, ${withExpressions} of them with expressions, ${speed}`);
      if (stalls > 0) console.info(`${stalls} sessions played again, because the machine was busy`);
      // Every second pack at least, or language 1.1 is hardly compared.
      expect(withExpressions / packs).toBeGreaterThanOrEqual(0.5);
      console.info(Object.fromEntries(perReason));
      const reached = Object.keys(REASONS).filter((reason): reason is Reason => !(reason in OUTSIDE));
      const rare = reached.filter((reason) => (perReason.get(reason) ?? 0) < (RARE[reason] ?? OFTEN));
      expect(rare).toEqual([]);
      expect(ALSO.filter((event) => (perReason.get(event) ?? 0) < OFTEN)).toEqual([]);
    },
    Math.max(600_000, 20 * DECISIONS),
  );
});
