import { quoted } from "../../../diagnostics/wording.js";
import { inferredUses } from "../../expression/inferences.js";
import { packExpressions } from "../../expression/pack-expressions.js";
import { unsetComparisons } from "../../expression/written-forms.js";
import { defineRule } from "../../rule.js";
import { placeOfPart, textOfPart } from "./surprise-rule.js";

interface Params {
  readonly slot: string;
  readonly text: string;
  /** The key, as it is written; null for a plain slot. */
  readonly key: string | null;
}

/** What has no value yet is not unequal: it cannot be judged, and that refuses the call. */
export const unsetComparison = defineRule<Params>({
  code: "unset_comparison",
  stage: "resolve",
  severity: "warning",
  what: "An expression compares a slot with `!=` and does not say what holds before the slot has a value.",
  why: "Before the first call that binds it the comparison cannot be judged, so it refuses the call that it was meant to allow.",
  fix: "Say what holds before: `!(key in slots.done)` for a keyed slot, `!has(slots.done) || …` for a plain one.",
  message: ({ slot, text }) =>
    `before ${quoted(slot)} has a value, ${quoted(text)} cannot be judged and refuses the call`,
  help: ({ slot, text, key }) =>
    key === null
      ? `write \`!has(slots.${slot}) || ${text}\``
      : `write \`!(${key} in slots.${slot})\`, or \`!(${key} in slots.${slot}) || ${text}\``,
  check(context, report) {
    const { slots } = packExpressions(context).surroundings;
    for (const each of inferredUses(context)) {
      for (const { part, slot } of unsetComparisons(each.expression.tree, slots)) {
        const key = part.left.kind === "index" ? textOfPart(each, part.left.index) : null;
        report(placeOfPart(each, part), { slot, text: textOfPart(each, part), key }, each.use.owner?.name);
      }
    }
  },
});
