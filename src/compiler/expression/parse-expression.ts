import { type ASTNode, Environment, ParseError } from "@marcbachmann/cel-js";
import type { ExpressionProblem } from "./expression-problem.js";
import type { ExpressionText } from "./expression-text.js";
import { syntaxProblem } from "./syntax-problem.js";
import { commentsOf } from "./tokens.js";

/** A node of the tree that the library makes. */
export type CelNode = ASTNode;

/** The most characters of an expression once `let` has been substituted. */
export const MOST_CHARACTERS = 4096;
/** The most nodes of its tree. */
export const MOST_NODES = 500;
/** The nesting that the parser accepts: it calls itself for each level, about ten functions deep. */
const MOST_LEVELS = 150;

let environment: Environment | undefined;

/** Made when the first expression is read: most packs have none. */
function parser(): Environment {
  environment ??= new Environment({
    unlistedVariablesAreDyn: true,
    // Parsed, so that it can be refused by name.
    enableOptionalTypes: true,
    limits: {
      // It counts the names of items too, which are no values.
      maxAstNodes: 2 * MOST_NODES,
      maxDepth: MOST_LEVELS,
      maxListElements: MOST_NODES,
      maxMapEntries: MOST_NODES,
      maxCallArguments: MOST_NODES,
    },
  });
  return environment;
}

/** The result of parsing a text. */
export type ParsedExpression =
  | { readonly ok: true; readonly node: CelNode }
  | { readonly ok: false; readonly problem: ExpressionProblem };

/** A comment that goes on over lines of the expression, because YAML joins the lines of every text but a block with `|`. */
function swallowedLines({ text, spanAt }: ExpressionText): ExpressionProblem | null {
  for (const { start, end } of commentsOf(text)) {
    const span = spanAt(start, end);
    const [, ...later] = span.source.text.slice(span.start, span.end).split("\n");
    if (later.every((line) => /^\s*(?:\/\/|$)/.test(line))) continue;
    return {
      kind: "bad_expression",
      span,
      message: "YAML joins these lines, so that the comment goes on to their end",
      help: "write the expression as a block, `that: |`, which keeps its lines",
    };
  }
  return null;
}

/** Parses a text as CEL, within bounds on its length, its size and its depth. */
export function parseExpression(source: ExpressionText): ParsedExpression {
  const { text } = source;
  if (text.length > MOST_CHARACTERS) {
    const problem: ExpressionProblem = {
      kind: "expression_too_large",
      span: source.spanAt(0, text.length),
      message: `the expression has ${text.length} characters, and at most ${MOST_CHARACTERS} are read`,
      help: "split it into several entries, each with its own reason",
    };
    return { ok: false, problem };
  }
  const swallowed = swallowedLines(source);
  if (swallowed !== null) return { ok: false, problem: swallowed };
  try {
    return { ok: true, node: parser().parse(text).ast };
  } catch (cause) {
    if (!(cause instanceof ParseError)) throw cause;
    const { start, end } = cause.range ?? { start: 0, end: text.length };
    return { ok: false, problem: syntaxProblem(source, { code: cause.code ?? "", start, end }) };
  }
}
