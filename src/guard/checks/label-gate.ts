import type { CheckOf } from "../../artifact/compiled.js";
import { block } from "../decide/verdict.js";
import type { Run } from "../program/program.js";

/** Refuses a tool once its session has a label. */
export function labelGate({ at, label, reason }: CheckOf<"label_gate">): Run {
  return (_proposal, { labels }) =>
    labels.has(label) ? block("label_gated", at, reason, `the label \`${label}\``) : null;
}
