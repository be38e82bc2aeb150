import { quoted } from "../../../diagnostics/wording.js";
import { inferredUses } from "../../expression/inferences.js";
import { exactSums } from "../../expression/written-forms.js";
import { defineRule } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";
import { placeOfPart, textOfPart } from "./surprise-rule.js";

interface Params {
  readonly text: string;
}

/** The slots that have values of outputs. */
function outputSlots(context: RuleContext): ReadonlySet<string> {
  const binds = context.tools.flatMap(({ contract }) => contract.binds ?? []);
  return new Set(binds.flatMap(({ name, source }) => (source === "output" && name !== undefined ? [name] : [])));
}

/** Tools compute with binary fractions, so their sums differ in the last digits. */
export const exactSum = defineRule<Params>({
  code: "exact_sum",
  stage: "resolve",
  severity: "warning",
  what: "An expression compares a sum of values that tools have answered for equality.",
  why: "Tools compute with binary fractions: 0.1 + 0.2 may come back as 0.30000000000000004, and expressions compare exactly.",
  fix: "Round both sides: `math.round(x, 2) == math.round(y, 2)`.",
  message: ({ text }) => `${quoted(text)} compares a sum of outputs exactly`,
  help: () => "round both sides: `math.round(x, 2) == math.round(y, 2)`",
  check(context, report) {
    const outputs = outputSlots(context);
    for (const each of inferredUses(context)) {
      for (const part of exactSums(each.expression.tree, outputs))
        report(placeOfPart(each, part), { text: textOfPart(each, part) }, each.use.owner?.name);
    }
  },
});
