import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";
import { formWords, type SlotForm, slotForms } from "../../slot-forms.js";

interface Params {
  readonly slot: string;
  readonly where: string;
  readonly form: SlotForm;
}

/** A comparison needs one value, and which of many was meant is not said. */
export const slotNotPlain = defineRule<Params>({
  code: "slot_not_plain",
  stage: "resolve",
  severity: "error",
  what: "A `ref`, or the `when` of an aggregate, compares with a slot that holds several values.",
  why: "Both compare with one value; which of those of a keyed slot or a union is meant cannot be said there.",
  fix: "Write the comparison in `requires`, where a key can be given, or bind the value to a slot without a key.",
  message: ({ slot, where, form }) =>
    `${quoted(where)} compares with one value, and ${quoted(slot)} holds ${formWords(form)}`,
  help: ({ slot, form }) =>
    `write it in \`requires\`, such as ${quoted(form.kind === "union" ? `args.id in slots.${slot}` : `slots.${slot}[args.id] == args.value`)}, or bind a slot without a key`,
  check(context, report) {
    const forms = slotForms(context);
    const formIn = (slot: string | undefined) => {
      const form = forms?.get(slot ?? "");
      return form === undefined || form.kind === "plain" ? null : form;
    };
    for (const { name, contract } of context.tools) {
      for (const entry of contract.argument_value_invariants ?? []) {
        const form = formIn(entry.ref);
        if (form !== null) report(valueSpan(entry, "ref"), { slot: entry.ref ?? "", where: "ref", form }, name);
      }
    }
    for (const { when } of context.session?.aggregates ?? []) {
      for (const override of when ?? []) {
        const form = formIn(override.binding);
        if (form !== null)
          report(valueSpan(override, "binding"), { slot: override.binding ?? "", where: "when", form });
      }
    }
  },
});
