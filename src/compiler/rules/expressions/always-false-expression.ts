import { quoted } from "../../../diagnostics/wording.js";
import { inferredUses } from "../../expression/inferences.js";
import { isAlways } from "../../expression/outcome.js";
import { contradictionsIn } from "../../expression/written-forms.js";
import { defineRule } from "../../rule.js";
import { placeOfPart, textOfPart } from "./surprise-rule.js";

type Params =
  | { readonly kind: "whole"; readonly place: string; readonly tool: string | null }
  | { readonly kind: "contradiction"; readonly value: string; readonly first: string; readonly second: string };

/** What is never true refuses every call, or never asks. */
export const alwaysFalseExpression = defineRule<Params>({
  code: "always_false_expression",
  stage: "resolve",
  severity: "error",
  what: "An expression is never true, whatever the call is, or a part of it asks one value to be equal to two.",
  why: "`requires` would refuse every call, `ensures` would reject every output, and a checkpoint would never ask.",
  fix: "Correct the expression; between alternatives write `||`.",
  message: (params) =>
    params.kind === "whole"
      ? `the expression is never true${params.tool === null ? "" : ` for ${quoted(params.tool)}`}`
      : `${quoted(params.value)} cannot be equal to ${quoted(params.first)} and to ${quoted(params.second)}`,
  help: (params) =>
    params.kind === "contradiction"
      ? `write \`||\`, or \`${params.value} in [${params.first}, ${params.second}]\``
      : params.place === "checkpoint"
        ? "correct the condition, or drop it"
        : "correct the expression, or drop the entry",
  check(context, report) {
    for (const each of inferredUses(context)) {
      const { use, expression, inferred } = each;
      const contradictions = [...contradictionsIn(expression.tree)].filter(({ kind }) => kind === "never");
      for (const { part, first, second } of contradictions) {
        const value = textOfPart(each, first.left);
        const texts = { first: textOfPart(each, first.right), second: textOfPart(each, second.right) };
        report(placeOfPart(each, part), { kind: "contradiction", value, ...texts }, use.owner?.name);
      }
      // What makes it impossible has been reported where it is.
      const never = inferred.find(
        ({ outcome, surprises }) =>
          surprises.length === 0 && (use.place === "checkpoint" ? isAlways(false, outcome) : !outcome.mayBeTrue),
      );
      if (never === undefined || contradictions.length > 0) continue;
      const tool = use.owner === null ? (never.tool?.name ?? null) : null;
      report(placeOfPart(each, expression.tree), { kind: "whole", place: use.place, tool }, use.owner?.name);
    }
  },
});
