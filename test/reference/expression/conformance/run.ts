import type { Json, JsonObject } from "../../../../src/base/json.js";
import { parseExpression } from "../language.js";
import type { Answer } from "../scope.js";
import { substitute } from "../substitute.js";
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
  const own = substitute(text, new Map([...bindings.keys()].map((name) => [name, `args.${name}`])));
  const parsed = parseExpression(own);
  if (parsed.kind === "outside") return { kind: "outside", why: kindOfOutside(parsed.why) };
  const expected = value === null ? null : literalOf(value);
  if (expected?.kind === "outside") return { kind: "outside", why: expected.why };
  const wanted = expected === null ? "unjudgeable" : "true";
  const operand = expected?.kind === "literal" ? expected.text : "null";
  // A compiler may find what can never be judged.
  const got = evaluate(`(${own}\n) == ${operand}`, args) ?? (wanted === "unjudgeable" ? wanted : null);
  return got === wanted
    ? { kind: "agreed" }
    : { kind: "deviating", wanted: `${wanted} == ${operand}`, got: got ?? "refused" };
}
