import type { ASTNode } from "@marcbachmann/cel-js";
import { asBoolean, decideBy, evaluate, failureOf } from "./evaluate.js";
import type { Scope } from "./scope.js";
import { whole } from "./slots.js";
import { boolean, type Found, found, list, type Value, WRONG_KIND } from "./value.js";

/** The items of a list, or the keys of a map, as a list. */
function itemsOf(of: ASTNode, scope: Scope): Found {
  const container = evaluate(of, scope);
  const known = container.kind === "value" ? whole(container.value) : container;
  if (known.kind !== "value" || known.value.kind === "list") return known;
  return known.value.kind === "map" ? found(list(known.value.entries.map(({ key }) => key))) : WRONG_KIND;
}

/** An item with the results that the parts of a macro have for it. */
interface Pass {
  readonly item: Value;
  run(part: ASTNode): Found;
}

/** An element counts when it is visited. */
function passOver(item: Value, name: string, scope: Scope): Pass {
  const locals = new Map([...scope.locals, [name, item]]);
  const run = (part: ASTNode): Found => {
    scope.steps.take();
    return evaluate(part, { ...scope, locals });
  };
  return { item, run };
}

function isTrue(result: Found): boolean {
  return result.kind === "value" && result.value.kind === "boolean" && result.value.value;
}

/** What follows from the items for which the test is true; every item has to be judged. */
function withChosen(passes: readonly Pass[], test: ASTNode | null, then: (chosen: readonly Pass[]) => Found): Found {
  if (test === null) return then(passes);
  const tested = passes.map((pass) => ({ pass, result: asBoolean(pass.run(test)) }));
  const chosen = tested.filter(({ result }) => isTrue(result)).map(({ pass }) => pass);
  return failureOf(tested.map(({ result }) => result)) ?? then(chosen);
}

function transform(passes: readonly Pass[], part: ASTNode): Found {
  const results = passes.map((pass) => {
    const result = pass.run(part);
    return result.kind === "value" ? whole(result.value) : result;
  });
  const values = results.flatMap((result) => (result.kind === "value" ? [result.value] : []));
  return failureOf(results) ?? found(list(values));
}

/** One item after the other, as long as somebody asks: an item that decides is the last one. */
function* each(passes: readonly Pass[], part: ASTNode): Generator<Found> {
  for (const pass of passes) yield pass.run(part);
}

/** `all`, `exists`, `exists_one`, `filter` and `map`; the first operand is the variable. */
export function runMacro(name: string, of: ASTNode, operands: readonly ASTNode[], scope: Scope): Found {
  const [variable, first, second] = operands;
  if (variable?.op !== "id" || first === undefined) throw new Error("a macro takes a variable and a part");
  const items = itemsOf(of, scope);
  if (items.kind !== "value" || items.value.kind !== "list") return items;
  const passes = items.value.items.map((item) => passOver(item, variable.args, scope));
  switch (name) {
    case "all":
      return decideBy(false, each(passes, first));
    case "exists":
      return decideBy(true, each(passes, first));
    case "exists_one":
      return withChosen(passes, first, (chosen) => found(boolean(chosen.length === 1)));
    case "filter":
      return withChosen(passes, first, (chosen) => found(list(chosen.map(({ item }) => item))));
    default:
      return withChosen(passes, second === undefined ? null : first, (chosen) => transform(chosen, second ?? first));
  }
}
