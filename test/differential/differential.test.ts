import { describe, expect, it } from "vitest";
import { runCases } from "./run.js";

const SEED = Number(process.env.DIFFERENTIAL_SEED ?? 1);
const DECISIONS = Number(process.env.DIFFERENTIAL_DECISIONS ?? 200_000);

/** A reason that hardly ever occurs is not really compared. */
const OFTEN = 100;
const REASONS = [
  "session_killed",
  "session_paused",
  "unmatched_tool",
  "gate_blocked",
  "risk_blocked",
  "policy_denied",
  "label_gated",
  "phase_not_allowed",
  "transition_not_allowed",
  "forbidden_after",
  "prior_tool_missing",
  "prior_output_mismatch",
  "step_count_too_low",
  "session_limit_exceeded",
  "loop_detected",
  "arguments_not_json",
  "schema_mismatch",
  "input_invariant_failed",
  "execution_constraint_failed",
  "argument_invariant_failed",
  "schema_derived_failed",
  "ref_unset",
  "ref_mismatch",
  "bind_missing",
  "aggregate_exceeded",
  "aggregate_unjudgeable",
  "envelope_unset",
  "envelope_violated",
  "pending_conflict",
  "approval_denied",
  "approval_expired",
  "approval_used",
];

describe("the guard against the reference guard", () => {
  it(
    "gives the same answers on generated packs and sessions, for every reason there is",
    async () => {
      const started = performance.now();
      const { decisions, packs, perReason, mismatch } = await runCases({ seed: SEED, decisions: DECISIONS });
      expect(mismatch?.text ?? "no difference").toBe("no difference");
      const seconds = (performance.now() - started) / 1000;
      console.info(`${decisions} decisions on ${packs} packs, ${Math.round(decisions / seconds)} a second`);
      console.info(Object.fromEntries(perReason));
      expect(REASONS.filter((reason) => (perReason.get(reason) ?? 0) < OFTEN)).toEqual([]);
    },
    Math.max(600_000, DECISIONS),
  );
});
