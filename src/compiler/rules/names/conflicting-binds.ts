import type { Span } from "../../../diagnostics/source.js";
import { quoted } from "../../../diagnostics/wording.js";
import { isDamaged } from "../../../language/draft.js";
import { keySpan, valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";
import { formOf, formWords, type SlotForm, slotForms, writtenKeys } from "../../slot-forms.js";

type Params =
  | { readonly kind: "key_of_union"; readonly slot: string }
  | {
      readonly kind: "other_form";
      readonly slot: string;
      readonly form: SlotForm;
      readonly first: SlotForm;
      readonly span: Span;
    }
  | { readonly kind: "extra_keys"; readonly slot: string; readonly form: SlotForm; readonly found: number };

type Report = (span: Span, params: Params, tool: string) => void;

function messageOf(params: Params): string {
  switch (params.kind) {
    case "key_of_union":
      return `the union ${quoted(params.slot)} has a key`;
    case "other_form":
      return `${quoted(params.slot)} is bound as ${formWords(params.form)} here and as ${formWords(params.first)} elsewhere`;
    case "extra_keys":
      return `${quoted(params.slot)} holds ${formWords(params.form)}, and this unbinds it with ${params.found} ${params.found === 1 ? "key" : "keys"}`;
  }
}

function helpOf(params: Params): string {
  switch (params.kind) {
    case "key_of_union":
      return "drop `key`, or drop `collect` to bind one value for each key";
    case "other_form":
      return "bind it in the same way everywhere, or give one of the slots another name";
    case "extra_keys":
      return params.form.kind === "keyed"
        ? `give at most ${params.form.depth}; fewer keys unbind all below them, none the whole slot`
        : "drop `key`: such a slot is unbound as a whole";
  }
}

/** Binds that disagree about what a slot holds, and a union with a key, which it does not have. */
function checkBinds(context: RuleContext, report: Report): void {
  for (const [slot, bound] of context.slots() ?? []) {
    const whole = bound.filter(({ bind }) => !isDamaged(bind));
    const [first] = whole;
    for (const { tool, bind } of whole) {
      const form = formOf(bind);
      if (form.kind === "union" && bind.key !== undefined) {
        report(keySpan(bind, "key"), { kind: "key_of_union", slot }, tool.name);
        continue;
      }
      const known = first === undefined ? form : formOf(first.bind);
      if (first === undefined || (known.kind === form.kind && known.depth === form.depth)) continue;
      const span = valueSpan(first.bind, "name");
      report(valueSpan(bind, "name"), { kind: "other_form", slot, form, first: known, span }, tool.name);
    }
  }
}

function checkUnbinds(context: RuleContext, report: Report): void {
  const forms = slotForms(context);
  for (const { name, contract } of context.tools) {
    for (const unbind of contract.unbinds ?? []) {
      const form = forms?.get(unbind.name ?? "");
      const found = writtenKeys(unbind).length;
      if (form === undefined || isDamaged(unbind) || found <= form.depth) continue;
      report(keySpan(unbind, "key"), { kind: "extra_keys", slot: unbind.name ?? "", form, found }, name);
    }
  }
}

/** A slot that is one value for one tool and several for another cannot be read. */
export const conflictingBinds = defineRule<Params>({
  code: "conflicting_binds",
  stage: "resolve",
  severity: "error",
  what: "Tools disagree about what a slot holds: one value, one for each key and how many keys, or a union of values.",
  why: "Rules read a slot in one way; what another tool writes there in another way would be lost.",
  fix: "Bind the slot in the same way in all tools, and unbind it with at most as many keys as it has.",
  message: messageOf,
  help: helpOf,
  related: (params) => (params.kind === "other_form" ? [{ span: params.span, message: "it is bound here first" }] : []),
  check(context, report) {
    checkBinds(context, report);
    checkUnbinds(context, report);
  },
});
