import * as d from "../base/decoder.js";
import { pattern } from "../operators/pattern.js";

/** A boolean expression of the contract language as plain data: what the guard judges. `let` has been substituted. */

/** What an expression may read beside slots, constants and the variables of its own macros. */
export const VARIABLES = ["args", "principal", "labels", "tool", "now", "output"] as const;

/** Operators of two operands that are both evaluated; `&&` and `||` are nodes of their own. */
export const BINARY_OPERATORS = ["==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "in"] as const;
export type BinaryOperator = (typeof BINARY_OPERATORS)[number];

/** Macros over the items of a list or the keys of a map. */
export const MACROS = ["all", "exists", "exists_one", "filter", "map"] as const;
export type Macro = (typeof MACROS)[number];

/** Functions and methods; the receiver of a method is its first operand. */
export const FUNCTIONS = [
  "size",
  "startsWith",
  "endsWith",
  "contains",
  "string",
  "double",
  "lowerAscii",
  "trim",
  "split",
  "timestamp",
  "duration",
  "getFullYear",
  "getMonth",
  "getDate",
  "getDayOfMonth",
  "getDayOfYear",
  "getDayOfWeek",
  "getHours",
  "getMinutes",
  "getSeconds",
  "getMilliseconds",
  "lists.range",
  "distinct",
  "sum",
  "math.least",
  "math.greatest",
  "math.abs",
  "math.round",
] as const;
export type FunctionName = (typeof FUNCTIONS)[number];

/** A part of an expression. */
export type Expression =
  | { readonly kind: "literal"; readonly value: string | boolean | null }
  /** The digits of a number, exact and in their shortest form. */
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "variable"; readonly name: (typeof VARIABLES)[number] }
  /** A slot as a whole; one key of a keyed slot is an index of it. */
  | { readonly kind: "slot"; readonly name: string }
  | { readonly kind: "constant"; readonly name: string }
  /** The variable of a macro around it. */
  | { readonly kind: "local"; readonly name: string }
  | { readonly kind: "member"; readonly of: Expression; readonly name: string }
  | { readonly kind: "index"; readonly of: Expression; readonly index: Expression }
  | { readonly kind: "has"; readonly of: Expression; readonly name: string }
  /** Whether a plain slot is bound. */
  | { readonly kind: "has_slot"; readonly name: string }
  | { readonly kind: "not"; readonly of: Expression }
  | { readonly kind: "minus"; readonly of: Expression }
  | { readonly kind: "and"; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "or"; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "binary"; readonly op: BinaryOperator; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "choice"; readonly test: Expression; readonly yes: Expression; readonly no: Expression }
  | { readonly kind: "list"; readonly items: readonly Expression[] }
  | { readonly kind: "map"; readonly entries: readonly { readonly key: Expression; readonly value: Expression }[] }
  /** `test` is null for a `map` without a filter, `result` for every other macro. */
  | {
      readonly kind: "macro";
      readonly macro: Macro;
      readonly over: Expression;
      readonly name: string;
      readonly test: Expression | null;
      readonly result: Expression | null;
    }
  | { readonly kind: "call"; readonly fn: FunctionName; readonly operands: readonly Expression[] }
  | { readonly kind: "matches"; readonly of: Expression; readonly pattern: d.Decoded<typeof pattern> };

const part: d.Decoder<Expression> = d.lazy(() => expression);

/** Decodes a part of an expression. */
export const expression: d.Decoder<Expression> = d.tagged("kind", {
  literal: { value: d.nullable(d.either(d.string, d.boolean)) },
  number: { text: d.string },
  variable: { name: d.oneOf(...VARIABLES) },
  slot: { name: d.string },
  constant: { name: d.string },
  local: { name: d.string },
  member: { of: part, name: d.string },
  index: { of: part, index: part },
  has: { of: part, name: d.string },
  has_slot: { name: d.string },
  not: { of: part },
  minus: { of: part },
  and: { left: part, right: part },
  or: { left: part, right: part },
  binary: { op: d.oneOf(...BINARY_OPERATORS), left: part, right: part },
  choice: { test: part, yes: part, no: part },
  list: { items: d.list(part) },
  map: { entries: d.list(d.object({ key: part, value: part })) },
  macro: { macro: d.oneOf(...MACROS), over: part, name: d.string, test: d.nullable(part), result: d.nullable(part) },
  call: { fn: d.oneOf(...FUNCTIONS), operands: d.list(part) },
  matches: { of: part, pattern },
});

/** An expression as it is kept: its text for people, and its tree. */
export const judgedExpression = d.object({ text: d.string, tree: expression });
export type JudgedExpression = d.Decoded<typeof judgedExpression>;
