import type { CheckOf } from "../../artifact/compiled.js";
import type { Session } from "../session.js";
import { type Block, block } from "../verdict.js";

/** Refuses a tool once its session carries a label. */
export function labelGate(check: CheckOf<"label_gate">, session: Session): Block | null {
  if (!session.labels.has(check.label)) return null;
  return block("label_gated", check.at, check.reason, `the label \`${check.label}\``);
}
