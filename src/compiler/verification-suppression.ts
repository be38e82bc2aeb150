import type { Span } from "../diagnostics/source.js";

/** A finding of the exploration that is fine, for one tool or for all. */
export interface VerificationSuppression {
  readonly check: string;
  readonly tool: string | null;
  readonly span: Span;
}
