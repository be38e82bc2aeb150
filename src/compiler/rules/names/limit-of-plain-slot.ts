import { quoted } from "../../../diagnostics/wording.js";
import { keySpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";
import { slotForms } from "../../slot-forms.js";

interface Params {
  readonly slot: string;
}

/** A limit that limits nothing was meant for another slot. */
export const limitOfPlainSlot = defineRule<Params>({
  code: "limit_of_plain_slot",
  stage: "resolve",
  severity: "error",
  what: "`slot_limits` names a slot that holds one value.",
  why: "Only keyed slots and unions grow; the limit was meant for another slot, which then has none.",
  fix: "Remove the limit, or name a keyed slot or a union.",
  message: ({ slot }) => `${quoted(slot)} holds one value, which needs no limit`,
  help: () => "remove the limit, or name a keyed slot or a union",
  check(context, report) {
    const forms = slotForms(context);
    const limits = context.session?.slot_limits ?? {};
    for (const slot of Object.keys(limits)) {
      if (forms?.get(slot)?.kind === "plain") report(keySpan(limits, slot), { slot });
    }
  },
});
