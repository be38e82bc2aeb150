import type { CheckOf } from "../../artifact/compiled.js";
import { block } from "../decide/verdict.js";
import type { Run } from "../program/program.js";

/** Refuses every call: the contract's gate blocks it, or the session's default for its risk class does. */
export function gate({ at, source }: CheckOf<"gate">): Run {
  const refusal =
    source === "gate"
      ? block("gate_blocked", at, "`gate: allow`", "block")
      : block("risk_blocked", at, "a risk class that is allowed", "block");
  return () => refusal;
}
