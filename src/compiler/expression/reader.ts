import type { Expression } from "../../artifact/expression.js";
import type { Span } from "../../diagnostics/source.js";
import type { ExpressionProblemKind } from "./expression-problem.js";
import type { ExpressionText } from "./expression-text.js";
import type { CelNode } from "./parse-expression.js";
import type { Let, Names } from "./part.js";
import type { Surroundings } from "./scope.js";

/** A part of a text. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** What is wrong, and what to write instead. */
export interface Refusal {
  readonly kind: ExpressionProblemKind;
  readonly message: string;
  readonly help: string;
  readonly name?: string;
}

/** Reads the nodes of one text; the files for names and calls are handed it to go on with what is inside. */
export interface Reader {
  readonly source: ExpressionText;
  readonly lets: Names;
  readonly surroundings: Surroundings;
  /** The names of the items of the macros around the node that is read. */
  readonly locals: readonly string[];
  spanOf(range: Range): Span;
  /** Records what is wrong at a place; the value stands for nothing, because no tree is made then. */
  refuse(range: Range, refusal: Refusal): Expression;
  /** Counts nodes that are not read on their own. */
  count(nodes: number): this;
  /** Reads a node; every part of the result has a place. */
  read(node: CelNode): Expression;
  /** Reads a node in which a macro names its items. */
  readWithin(name: string, node: CelNode): Expression;
  /** Takes up what a `let` stands for, in place of its name. */
  substitute(node: CelNode & { readonly op: "id" }, named: Let): Expression;
  /** Records that the output is read. */
  readOutput(range: Range): void;
  /** Gives up without a problem of its own: a broken file may have declared what is named. */
  giveUp(): Expression;
}
