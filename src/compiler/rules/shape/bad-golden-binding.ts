import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";
import { type SlotForm, slotForms } from "../../slot-forms.js";

interface Params {
  readonly slot: string;
  readonly form: SlotForm;
}

function isKey(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function isEntry(entry: unknown, depth: number): boolean {
  if (typeof entry !== "object" || entry === null || !("key" in entry && "value" in entry)) return false;
  if (Object.keys(entry).length !== 2) return false;
  const { key } = entry;
  if (depth === 1 && isKey(key)) return true;
  return Array.isArray(key) && key.length === depth && key.every(isKey);
}

/** Whether a case can give a slot of this form such bindings. */
function isGivable(binding: unknown, { kind, depth }: SlotForm): boolean {
  if (kind === "plain") return true;
  if (!Array.isArray(binding)) return false;
  return kind === "union" || binding.every((entry) => isEntry(entry, depth));
}

/** A session that cannot be set up proves nothing about the call. */
export const badGoldenBinding = defineRule<Params>({
  code: "bad_golden_binding",
  stage: "resolve",
  severity: "error",
  what: "A golden case gives a keyed slot, or a union, in another form than that of its entries.",
  why: "The session of the case cannot be set up, so that the case would test nothing.",
  fix: "Write a keyed slot as a list of `{ key, value }`, with a list of keys where they nest, and a union as a list of values.",
  message: ({ slot, form }) =>
    `${quoted(slot)} is given as a list of ${form.kind === "union" ? "values" : `\`{ key, value }\`, each with ${form.depth === 1 ? "a key" : `a list of ${form.depth} keys`}`}`,
  help: ({ form }) =>
    form.kind === "union"
      ? "write `[first, second]`"
      : `write \`[{ key: ${form.depth === 1 ? "id" : "[outer, inner]"}, value: … }]\`; keys are strings, numbers or booleans`,
  check(context, report) {
    const forms = slotForms(context);
    for (const { name, contract } of context.tools) {
      for (const { given } of contract.golden_cases ?? []) {
        const bindings = given?.bindings ?? {};
        for (const [slot, binding] of Object.entries(bindings)) {
          const form = forms?.get(slot);
          if (form === undefined || binding === undefined || isGivable(binding, form)) continue;
          report(valueSpan(bindings, slot), { slot, form }, name);
        }
      }
    }
  },
});
