import { quoted } from "../../../diagnostics/wording.js";
import { inferredUses } from "../../expression/inferences.js";
import { isAlways } from "../../expression/outcome.js";
import { contradictionsIn } from "../../expression/written-forms.js";
import { defineRule } from "../../rule.js";
import { placeOfPart, textOfPart } from "./surprise-rule.js";

type Params =
  | { readonly kind: "whole"; readonly place: string }
  | { readonly kind: "tautology"; readonly value: string; readonly first: string; readonly second: string };

/** What is always true protects nothing. */
export const alwaysTrueExpression = defineRule<Params>({
  code: "always_true_expression",
  stage: "resolve",
  severity: "warning",
  what: 'An expression is true whatever the call is, or a part of it is, as in `x != "a" || x != "b"`.',
  why: "It refuses nothing, although its author relies on it.",
  fix: "Correct the expression; to exclude several values write `&&`.",
  message: (params) =>
    params.kind === "whole"
      ? "the expression is always true"
      : `${quoted(params.value)} is always unequal to ${quoted(params.first)} or to ${quoted(params.second)}`,
  help: (params) =>
    params.kind === "tautology"
      ? `write \`&&\`, or \`!(${params.value} in [${params.first}, ${params.second}])\``
      : params.place === "checkpoint"
        ? "write `when: always`, or correct the condition"
        : "correct the expression, or drop the entry",
  check(context, report) {
    for (const each of inferredUses(context)) {
      const { use, expression, inferred } = each;
      const tautologies = [...contradictionsIn(expression.tree)].filter(({ kind }) => kind === "always");
      for (const { part, first, second } of tautologies) {
        const value = textOfPart(each, first.left);
        const texts = { first: textOfPart(each, first.right), second: textOfPart(each, second.right) };
        report(placeOfPart(each, part), { kind: "tautology", value, ...texts }, use.owner?.name);
      }
      const isTrue =
        inferred.length > 0 &&
        inferred.every(({ bySchema, surprises }) => surprises.length === 0 && isAlways(true, bySchema));
      if (!isTrue || tautologies.length > 0) continue;
      report(placeOfPart(each, expression.tree), { kind: "whole", place: use.place }, use.owner?.name);
    }
  },
});
