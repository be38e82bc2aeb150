import type { Expression } from "../../artifact/expression.js";
import type { Span } from "../../diagnostics/source.js";
import type { ExpressionProblem } from "./expression-problem.js";
import type { ExpressionText } from "./expression-text.js";
import type { Surroundings } from "./scope.js";

/** The size of an expression after its `let`s have been substituted. */
export interface Size {
  readonly characters: number;
  readonly nodes: number;
  /** How deep macros are nested. */
  readonly nesting: number;
}

/** An expression as it was read: its data, with the place of each of its parts. */
export interface Part {
  /** Null where it has problems, or names a `let` that has some. */
  readonly tree: Expression | null;
  readonly spans: ReadonlyMap<Expression, Span>;
  /** Its text for people: what each `let` stands for is written out. */
  readonly text: string;
  readonly size: Size;
  /** Where it reads `output` or a `let` that does; null where it does not. */
  readonly output: Span | null;
  /** The `let`s that it names. */
  readonly lets: ReadonlySet<Let>;
  readonly problems: readonly ExpressionProblem[];
}

/** One entry of `let`. */
export interface LetEntry {
  readonly name: string;
  readonly nameSpan: Span;
  readonly text: ExpressionText;
}

/** A name for an expression. */
export interface Let {
  readonly entry: LetEntry;
  /** What it stands for; "open" where it is part of itself. */
  read(): Part | "open";
}

/** What the expressions of a file may name. */
export interface Names {
  readonly surroundings: Surroundings;
  find(name: string): Let | undefined;
  /** Every `let` that may be named, for suggestions. */
  names(): readonly string[];
  /** Whether no broken part of a file may have been another `let`. */
  isComplete(): boolean;
}
