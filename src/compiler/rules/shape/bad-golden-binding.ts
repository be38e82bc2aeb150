import type { Span } from "../../../diagnostics/source.js";
import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { givenSessions } from "../../given-sessions.js";
import { defineRule } from "../../rule.js";
import { type SlotForm, slotForms } from "../../slot-forms.js";

interface Params {
  readonly slot: string;
  readonly form: SlotForm;
  /** The same key once more, and where it is given first; null for bindings of another form. */
  readonly repeated: { readonly key: string; readonly first: Span } | null;
}

function isKey(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

interface Entry {
  readonly key: unknown;
}

function isEntry(entry: unknown, depth: number): entry is Entry {
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

interface RepeatedKey {
  readonly span: Span;
  readonly repeated: { readonly key: string; readonly first: Span };
}

/** The keys of a keyed slot that are given again: the later value would replace the earlier one unseen. */
function* repeatedKeys(binding: unknown, { kind, depth }: SlotForm): Generator<RepeatedKey> {
  if (kind !== "keyed" || !Array.isArray(binding)) return;
  const firstOf = new Map<string, Span>();
  for (const entry of binding) {
    if (!isEntry(entry, depth)) continue;
    const keys: readonly unknown[] = Array.isArray(entry.key) ? entry.key : [entry.key];
    const key = keys.map((part) => JSON.stringify(part)).join(", ");
    const first = firstOf.get(key);
    const span = valueSpan(entry, "key");
    if (first === undefined) firstOf.set(key, span);
    else yield { span, repeated: { key, first } };
  }
}

/** A session that cannot be set up proves nothing about the call. */
export const badGoldenBinding = defineRule<Params>({
  code: "bad_golden_binding",
  stage: "resolve",
  severity: "error",
  what: "A golden case or a scenario gives a keyed slot, or a union, in another form than that of its entries, or one key twice.",
  why: "The session of the case cannot be set up, or is another one than it seems, so that the case would test nothing.",
  fix: "Write a keyed slot as a list of `{ key, value }`, with a list of keys where they nest, each key once, and a union as a list of values.",
  message({ slot, form: { kind, depth }, repeated }) {
    if (repeated !== null) return `${quoted(slot)} is given the key ${quoted(repeated.key)} twice`;
    if (kind === "union") return `${quoted(slot)} is given as a list of values`;
    return `${quoted(slot)} is given as a list of \`{ key, value }\`, each with ${depth === 1 ? "a key" : `a list of ${depth} keys`}`;
  },
  help({ form: { kind, depth }, repeated }) {
    if (repeated !== null) return "a key holds one value: keep one of the two";
    if (kind === "union") return "write `[first, second]`";
    return `write \`[{ key: ${depth === 1 ? "id" : "[outer, inner]"}, value: … }]\`; keys are strings, numbers or booleans`;
  },
  related: ({ repeated }) => (repeated === null ? [] : [{ span: repeated.first, message: "it is given here first" }]),
  check(context, report) {
    const forms = slotForms(context);
    for (const { given, tool } of givenSessions(context)) {
      const bindings = given.bindings ?? {};
      for (const [slot, binding] of Object.entries(bindings)) {
        const form = forms?.get(slot);
        if (form === undefined || binding === undefined) continue;
        if (!isGivable(binding, form)) report(valueSpan(bindings, slot), { slot, form, repeated: null }, tool);
        else for (const { span, repeated } of repeatedKeys(binding, form)) report(span, { slot, form, repeated }, tool);
      }
    }
  },
});
