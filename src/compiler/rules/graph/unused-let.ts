import { quoted } from "../../../diagnostics/wording.js";
import { packExpressions } from "../../expression/pack-expressions.js";
import type { Let } from "../../expression/part.js";
import { defineRule } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";

interface Params {
  readonly name: string;
}

/** The `let`s that a rule names, also by another `let`. */
function usedLets(context: RuleContext): ReadonlySet<Let> {
  const used = new Set<Let>(packExpressions(context).uses.flatMap(({ result }) => [...result.lets]));
  // What is added while the set is walked is visited too.
  for (const each of used) {
    const part = each.read();
    for (const inner of part === "open" ? [] : part.lets) used.add(inner);
  }
  return used;
}

/** A name that nothing uses hides that a rule is missing. */
export const unusedLet = defineRule<Params>({
  code: "unused_let",
  stage: "graph",
  severity: "warning",
  what: "No rule uses a `let`.",
  why: "The rule that it was written for is missing, or uses another name.",
  fix: "Use it in a rule, or remove it.",
  message: ({ name }) => `nothing uses ${quoted(name)}`,
  help: () => "use it in a rule, or remove it",
  check(context, report) {
    const used = usedLets(context);
    for (const { owner, lets } of packExpressions(context).lets) {
      for (const each of lets.own.values()) {
        const { name, nameSpan } = each.entry;
        if (!used.has(each)) report(nameSpan, { name }, owner?.name);
      }
    }
  },
});
