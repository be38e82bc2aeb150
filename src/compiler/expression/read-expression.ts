import type { Expression } from "../../artifact/expression.js";
import type { Span } from "../../diagnostics/source.js";
import type { ExpressionProblem } from "./expression-problem.js";
import type { ExpressionText } from "./expression-text.js";
import type { Let, Names } from "./part.js";
import { readPart } from "./read-part.js";

/** What an expression may name. */
export interface Scope {
  readonly lets: Names;
  /** Whether there is an output: only `ensures` is judged after the call. */
  readonly hasOutput: boolean;
}

/** An expression that was read: its data, with the place of each part. */
export interface ReadExpression {
  readonly source: ExpressionText;
  readonly tree: Expression;
  readonly spans: ReadonlyMap<Expression, Span>;
  /** Its text for people, with each `let` written out. */
  readonly text: string;
}

/** The result of reading an expression. */
export type ExpressionResult = {
  /** The `let`s that it names. */
  readonly lets: ReadonlySet<Let>;
} & (
  | { readonly ok: true; readonly expression: ReadExpression }
  /** Without problems of its own where it names a `let` that has some. */
  | { readonly ok: false; readonly problems: readonly ExpressionProblem[] }
);

function outputProblem(span: Span): ExpressionProblem {
  const isDirect = span.source.text.slice(span.start, span.end) === "output";
  return {
    kind: "unknown_variable",
    span,
    message: isDirect
      ? "there is no `output` before the call"
      : "this `let` reads `output`, and there is none before the call",
    help: "judge the output in `ensures`",
  };
}

/** Reads the expression of a rule: parses it, resolves every name, substitutes each `let`. */
export function readExpression(source: ExpressionText, { lets, hasOutput }: Scope): ExpressionResult {
  const part = readPart(source, lets);
  const problems = [...part.problems];
  if (part.output !== null && !hasOutput) problems.push(outputProblem(part.output));
  if (problems.length > 0 || part.tree === null) return { ok: false, problems, lets: part.lets };
  return { ok: true, expression: { source, tree: part.tree, spans: part.spans, text: part.text }, lets: part.lets };
}
