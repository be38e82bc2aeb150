import type { CheckOf } from "../../artifact/compiled.js";
import { type Block, block } from "../verdict.js";

/** Refuses every call: the contract's gate is shut, or the session's default for its risk class is. */
export function gate(check: CheckOf<"gate">): Block {
  const isOwn = check.source === "gate";
  return block(
    isOwn ? "gate_blocked" : "risk_blocked",
    check.at,
    isOwn ? "`gate: allow`" : "a risk class that is allowed",
    "block",
  );
}
