import type { CheckOf } from "../../artifact/compiled.js";
import { canonicalJson } from "../../base/canonical-json.js";
import type { Json } from "../../base/json.js";
import type { Proposal, Session } from "../session.js";
import { type Block, block } from "../verdict.js";

/** The same call has the same key, whatever the order of its arguments. */
export function loopKey(tool: string, args: Json): string {
  return `${tool} ${canonicalJson(args)}`;
}

/** Refuses the call that would be the `threshold`-th equal one among the last `window` proposals, itself included. */
export function loopDetection(
  check: CheckOf<"loop_detection">,
  { tool, args }: Proposal,
  session: Session,
): Block | null {
  const key = loopKey(tool.name, args);
  const window = check.window === 1 ? [] : session.recent.slice(1 - check.window);
  const equal = window.filter((other) => other === key).length;
  if (equal + 1 < check.threshold) return null;
  return block(
    "loop_detected",
    check.at,
    `fewer than ${check.threshold} equal calls among ${check.window}`,
    `${equal + 1}`,
  );
}
