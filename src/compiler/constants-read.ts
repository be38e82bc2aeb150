import { constantsIn } from "../artifact/expression-parts.js";
import { packExpressions } from "./expression/pack-expressions.js";
import type { RuleContext } from "./rule-context.js";

/** The constants that expressions of a pack without errors read. */
export function constantsRead(context: RuleContext): ReadonlySet<string> {
  const read = new Set<string>();
  for (const { result } of packExpressions(context).uses) {
    if (result.ok) for (const name of constantsIn(result.expression.tree)) read.add(name);
  }
  return read;
}
