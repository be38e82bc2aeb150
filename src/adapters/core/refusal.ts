import { REASON_ADVICE } from "../../artifact/reason-advice.js";
import { REASONS } from "../../artifact/reasons.js";
import { clean } from "../../base/clean.js";
import { cut, hintBeside } from "../../base/wording.js";
import type { BlockVerdict } from "../../guard/public.js";

/** A call that is not made: refused itself, or together with another call of the same reply. */
export type Refusal =
  | { readonly kind: "refused"; readonly verdict: BlockVerdict }
  | { readonly kind: "skipped"; readonly refused: string; readonly verdict: BlockVerdict };

/** What the model reads of a refusal: what is wrong, why the policy says so, and what to do. */
export function refusalText({ reason, message, because, hint }: BlockVerdict): string {
  const remedy = hint === undefined ? null : hintBeside(hint, because);
  const parts = [
    `refused by contract (${reason}): ${message}`,
    ...(because === undefined ? [] : [`because: ${because}`]),
    ...(remedy === null ? [] : [`hint: ${remedy}`]),
  ];
  return clean(parts.join("; "));
}

/** What the model reads of a call that is not made. */
export function textOf(refusal: Refusal): string {
  const text = refusalText(refusal.verdict);
  if (refusal.kind === "refused") return text;
  return `not made, because another call of the same reply was refused: ${clean(cut(refusal.refused))}: ${text}`;
}

/** The refusal of a call that its framework asks for again under an id that was used before. */
export function repeatedCall(): BlockVerdict {
  const { fix: hint } = REASON_ADVICE.call_key_used;
  return { kind: "block", reason: "call_key_used", message: REASONS.call_key_used, hint };
}
