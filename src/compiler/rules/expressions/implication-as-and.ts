import { quoted } from "../../../diagnostics/wording.js";
import { inferredUses } from "../../expression/inferences.js";
import { implicationIn } from "../../expression/written-forms.js";
import { defineRule } from "../../rule.js";
import { placeOfPart, textOfPart } from "./surprise-rule.js";

interface Params {
  readonly condition: string;
}

/** `a && b` refuses every call for which `a` is false, which `if a then b` does not. */
export const implicationAsAnd = defineRule<Params>({
  code: "implication_as_and",
  stage: "resolve",
  severity: "warning",
  what: "An entry of `requires` is `a && b` where `a` pins an argument, or the tool, to a value: probably `if a then b` is meant.",
  why: "Every call for which `a` is false is refused.",
  fix: "For if/then write `!(a) || b`. If both must hold, write two entries, each with its own reason.",
  message: ({ condition }) => `this refuses every call for which ${quoted(condition)} is false`,
  help: ({ condition }) => `for if/then write \`!(${condition}) || …\`; if both must hold, write two entries`,
  check(context, report) {
    for (const each of inferredUses(context)) {
      if (each.use.place !== "requires") continue;
      const condition = implicationIn(each.expression.tree);
      if (condition === null) continue;
      report(placeOfPart(each, condition), { condition: textOfPart(each, condition) }, each.use.owner?.name);
    }
  },
});
