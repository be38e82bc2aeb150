import type { ASTNode } from "@marcbachmann/cel-js";
import type { Json, JsonObject } from "../../../../src/base/json.js";
import { parseExpression } from "../language.js";
import type { Answer } from "../scope.js";
import { jsonOf, literalOf } from "./literals.js";
import { kindOfOutside } from "./outside.js";
import type { ConformanceCase } from "./suite.js";

/** An evaluator under test: the answer to a boolean expression that may read `args`; null where it does not accept the text. */
export type Evaluate = (text: string, args: JsonObject) => Answer | null;

/** What became of a case. */
export type Result =
  | { readonly kind: "agreed" }
  | { readonly kind: "deviating"; readonly wanted: string; readonly got: string }
  | { readonly kind: "outside"; readonly why: string };

/** The places where a tree reads a variable that no macro around it makes. */
function free(node: unknown, names: ReadonlySet<string>, hidden: ReadonlySet<string> = new Set()): readonly ASTNode[] {
  if (Array.isArray(node)) return node.flatMap((part: unknown) => free(part, names, hidden));
  if (!isNode(node)) return [];
  if (node.op === "id") return names.has(node.args) && !hidden.has(node.args) ? [node] : [];
  if (node.op === "value") return [];
  if (node.op !== "rcall") return free(node.args, names, hidden);
  const [name, of, operands] = node.args;
  const [variable, ...parts] = operands;
  const isMacro = ["all", "exists", "exists_one", "filter", "map"].includes(name) && variable?.op === "id";
  if (!isMacro) return [...free(of, names, hidden), ...free(operands, names, hidden)];
  return [...free(of, names, hidden), ...free(parts, names, new Set([...hidden, variable.args]))];
}

function isNode(node: unknown): node is ASTNode {
  return typeof node === "object" && node !== null && "op" in node && "start" in node;
}

/** The text with each bound variable read from `args`; one that is outside of the language stays as it is. */
function underArgs(text: string, names: ReadonlySet<string>): string {
  const parsed = parseExpression(text, [...names]);
  if (parsed.kind === "outside") return text;
  const places = [...free(parsed.tree, names)].sort((a, b) => b.start - a.start);
  return places.reduce((before, { start }) => `${before.slice(0, start)}args.${before.slice(start)}`, text);
}

/** Runs a case; anything but a boolean is compared with the value that is expected. */
export function runCase({ text, bindings, value, isCheckOnly }: ConformanceCase, evaluate: Evaluate): Result {
  if (isCheckOnly) return { kind: "outside", why: "static types alone" };
  if ([...bindings.keys()].some((name) => name.includes("."))) return { kind: "outside", why: "names with dots" };
  const args: Record<string, Json> = {};
  for (const [name, bound] of bindings) {
    const json = jsonOf(bound);
    if (json === undefined) return { kind: "outside", why: "variables that JSON cannot hold" };
    args[name] = json;
  }
  const own = underArgs(text, new Set(bindings.keys()));
  const parsed = parseExpression(own);
  if (parsed.kind === "outside") return { kind: "outside", why: kindOfOutside(parsed.why) };
  const expected = value === null ? null : literalOf(value);
  if (expected?.kind === "outside") return { kind: "outside", why: expected.why };
  const wanted = expected === null ? "unjudgeable" : "true";
  const operand = expected?.kind === "literal" ? expected.text : "null";
  const got = evaluate(`(${own}\n) == ${operand}`, args);
  return got === wanted
    ? { kind: "agreed" }
    : { kind: "deviating", wanted: `${wanted} == ${operand}`, got: got ?? "refused" };
}
