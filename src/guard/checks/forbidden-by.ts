import type { CheckOf } from "../../artifact/compiled.js";
import type { Session } from "../session.js";
import { type Block, block } from "../verdict.js";

/** Refuses a tool that an earlier call, pending ones included, forbids. */
export function forbiddenBy(check: CheckOf<"forbidden_by">, session: Session): Block | null {
  for (const { at, tool } of check.tools) {
    if (session.callsOf.has(tool))
      return block("forbidden_after", at, `no earlier call of \`${tool}\``, `a call of \`${tool}\``);
  }
  return null;
}
