import { VARIABLE_NAMES } from "./scope.js";

/** Words that CEL keeps for itself, or that stand for something else. */
const TAKEN: ReadonlySet<string> = new Set([
  ...VARIABLE_NAMES,
  ..."as break const continue else for function if import let loop package namespace return var void while".split(" "),
  ..."true false null in math lists cel optional __proto__ prototype".split(" "),
]);

/** Whether a `let` may have the name: one that an expression can write, and that means nothing else. */
export function isLetName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !TAKEN.has(name);
}
