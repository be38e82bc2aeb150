import type { RelatedPlace, Severity } from "../diagnostics/diagnostic.js";
import type { Span } from "../diagnostics/source.js";

/** One finding of a rule, worded. */
export interface Finding {
  readonly code: string;
  readonly severity: Severity;
  readonly span: Span;
  readonly message: string;
  readonly help?: string;
  readonly related?: readonly RelatedPlace[];
  /** The tool it is about, for suppressions that name one. */
  readonly tool?: string;
}
