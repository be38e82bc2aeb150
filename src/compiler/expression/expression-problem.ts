import type { Span } from "../../diagnostics/source.js";

/** What can be wrong with an expression; each kind is the code of a rule. */
export type ExpressionProblemKind =
  | "bad_expression"
  | "unsupported_expression"
  | "unknown_function"
  | "unknown_variable"
  | "unknown_constant"
  | "unknown_binding"
  | "keyed_slot_without_key"
  | "expression_too_large"
  | "bad_time"
  | "let_cycle";

/** One thing that is wrong with an expression, at its exact characters. */
export interface ExpressionProblem {
  readonly kind: ExpressionProblemKind;
  readonly span: Span;
  readonly message: string;
  /** What to write instead. */
  readonly help: string;
  /** The name that is not known, where the rule of another file words the problem. */
  readonly name?: string;
}
