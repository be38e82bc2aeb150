import type { Expression } from "../../../../src/artifact/expression.js";
import type { Json } from "../../../../src/base/json.js";
import type { ExpressionProblem } from "../../../../src/compiler/expression/expression-problem.js";
import type { ExpressionText } from "../../../../src/compiler/expression/expression-text.js";
import { Lets } from "../../../../src/compiler/expression/lets.js";
import { type ExpressionResult, readExpression } from "../../../../src/compiler/expression/read-expression.js";
import type { SlotShape } from "../../../../src/compiler/expression/scope.js";

/** A text that is a file of its own. */
export function alone(text: string, name = "that"): ExpressionText {
  return { text, spanAt: (start, end) => ({ source: { name, text }, start, end }) };
}

const SLOTS: Readonly<Record<string, SlotShape>> = {
  order: { kind: "plain" },
  done: { kind: "plain" },
  reservation: { kind: "keyed", depth: 1 },
  offer: { kind: "keyed", depth: 2 },
  cancelled: { kind: "union" },
};

export interface Given {
  readonly let?: Readonly<Record<string, string>>;
  readonly sessionLet?: Readonly<Record<string, string>>;
  readonly slots?: Readonly<Record<string, SlotShape>>;
  readonly constants?: Readonly<Record<string, Json>>;
  readonly hasTimezone?: boolean;
  readonly hasOutput?: boolean;
}

function letsOf(entries: Given["let"], surroundings: Lets["surroundings"], outer: Lets | null): Lets {
  const list = Object.entries(entries ?? {}).map(([name, text]) => {
    const own = alone(text, `let ${name}`);
    return { name, nameSpan: own.spanAt(0, 0), text: own };
  });
  return new Lets(list, surroundings, outer);
}

/** Reads a text as `requires` would, with slots of every shape. */
export function reading(text: string, given: Given = {}): ExpressionResult {
  const {
    slots = SLOTS,
    constants = { fee: 5, table: { gold: 1 }, nothing: null },
    hasTimezone = false,
    hasOutput = false,
  } = given;
  const surroundings = {
    slots: new Map(Object.entries(slots)),
    constants: new Map(Object.entries(constants)),
    hasTimezone,
  };
  const session = letsOf(given.sessionLet, surroundings, null);
  return readExpression(alone(text), { lets: letsOf(given.let, surroundings, session), hasOutput });
}

/** The tree of a text that is an expression. */
export function treeOf(text: string, given: Given = {}): Expression {
  const result = reading(text, given);
  if (!result.ok) throw new Error(JSON.stringify(result.problems.map(({ message }) => message)));
  return result.expression.tree;
}

/** `code at \`characters\`: message | help` for each problem of a text. */
export function problemsOf(text: string, given: Given = {}): readonly string[] {
  const result = reading(text, given);
  return result.ok ? [] : result.problems.map(worded);
}

export function worded({ kind, span, message, help }: ExpressionProblem): string {
  return `${kind} at \`${span.source.text.slice(span.start, span.end)}\`: ${message} | ${help}`;
}
