import type { Place } from "../artifact/compiled-value.js";
import type { GoldenCase, HistoryCall } from "../artifact/golden-case.js";

/** A refusal, as the report of a golden case shows it. */
export interface Refused {
  readonly reason: string;
  readonly rule: Place | null;
  readonly required: string;
  readonly found: string;
  readonly hint: string | null;
  /** The reason that the rule gives in words. */
  readonly because?: string;
}

/** The result of playing a golden case. */
export type Actual =
  | { readonly kind: "allow" }
  | ({ readonly kind: "block" } & Refused)
  | { readonly kind: "approval_required"; readonly rule: Place | null; readonly because?: string }
  /** A call of its history is not possible, or its output is not. */
  | ({
      readonly kind: "history_refused";
      readonly call: HistoryCall;
      /** Which one of the history, from 1. */
      readonly number: number;
      readonly refuses: "call" | "output";
    } & Refused)
  /** No guard could be made for it. */
  | { readonly kind: "not_started"; readonly why: string; readonly help: string };

/** A golden case and its result. */
export interface PlayedCase {
  readonly golden: GoldenCase;
  readonly ok: boolean;
  readonly actual: Actual;
}

/** A call that needs an approval is sent only if an approver allows it; without an answer it is denied. */
const PENDING_REASON = "approval_denied";

/** Whether the result is the expected one. A case that could not be judged never is. */
export function meets({ expected: { ok, reason } }: GoldenCase, actual: Actual): boolean {
  switch (actual.kind) {
    case "allow":
      return ok;
    case "block":
      return !ok && (reason === null || reason === actual.reason);
    case "approval_required":
      return !ok && (reason === null || reason === PENDING_REASON);
    case "history_refused":
    case "not_started":
      return false;
  }
}
