import type { Expression, FunctionName } from "../../artifact/expression.js";
import { SIGNATURES } from "./functions.js";
import { hasNoValue, NEVER, type Outcome, truth, valued } from "./outcome.js";
import { ANYTHING, eitherOf, listOf, ofKinds, type Shape } from "./shape.js";
import type { Judge } from "./surprise.js";

/** The keys of a map, as a macro sees them. */
const KEYS: Shape = ofKinds("string", "number", "boolean");

function itemsOf({ kinds, items }: Shape): Shape {
  if (!kinds.has("map")) return items();
  return kinds.has("list") ? eitherOf([items(), KEYS]) : KEYS;
}

/** A macro over the items of a list, or the keys of a map. */
export function inferMacro(inferrer: Judge, part: Expression & { readonly kind: "macro" }): Outcome {
  const over = inferrer.operand(part.over, ["list", "map"], `list.${part.macro}(x, …)`);
  if (hasNoValue(over)) return NEVER;
  const items = itemsOf(over.shape);
  const { test, result } = inferrer.within(part.name, items, () => ({
    test: part.test === null ? null : inferrer.boolean(part.test, part),
    result: part.result === null ? null : inferrer.infer(part.result),
  }));
  if (part.macro === "filter") return valued(listOf(items), true);
  if (part.macro === "map") return valued(listOf(result?.shape ?? ANYTHING), true);
  if (inferrer.isUnset(part.over)) return truth(part.macro === "all", part.macro !== "all", false);
  const mayFail = over.mayFail || test?.mayFail === true;
  // A list may be empty: then `all` is true, and the others are false.
  if (part.macro === "all") return truth(true, test?.mayBeFalse === true, mayFail);
  return truth(test?.mayBeTrue === true, true, mayFail);
}

/** The result of a question about known texts, such as `tool.startsWith("get_")`; null for anything else. */
function knownText(fn: FunctionName, [text, part]: readonly Outcome[]): boolean | null {
  const [of, asked] = [text?.known, part?.known];
  if (typeof of !== "string" || typeof asked !== "string") return null;
  if (fn === "startsWith") return of.startsWith(asked);
  if (fn === "endsWith") return of.endsWith(asked);
  return fn === "contains" ? of.includes(asked) : null;
}

/** A function, whose operands must be of its kinds. */
export function inferCall(inferrer: Judge, part: Expression & { readonly kind: "call" }): Outcome {
  const { operands, repeated, result, usage } = SIGNATURES[part.fn];
  const outcomes = part.operands.map((operand, index) => {
    const wanted = operands[repeated === true ? Math.min(index, operands.length - 1) : index];
    return inferrer.operand(operand, wanted ?? [], usage);
  });
  if (outcomes.some(hasNoValue)) return NEVER;
  const mayFail = outcomes.some((outcome) => outcome.mayFail);
  const isTrue = knownText(part.fn, outcomes);
  if (isTrue !== null) return truth(isTrue, !isTrue, mayFail);
  if (part.fn === "size") return valued(ofKinds("number"), mayFail);
  if (part.fn === "split") return valued(listOf(ofKinds("string")), true);
  if (part.fn === "distinct") return valued(listOf(outcomes[0]?.shape.items() ?? ANYTHING), true);
  return valued(part.fn === "lists.range" ? listOf(ofKinds("number")) : ofKinds(result), true);
}
