import type { Span } from "../diagnostics/source.js";
import type { Draft } from "../language/draft.js";
import { valueSpan } from "../language/located.js";
import type { Bind, BindKey, Unbind } from "../language/schema/tool.js";
import type { RuleContext } from "./rule-context.js";

/** What a slot holds: one value, one for each key, or a set of values. `depth` is how many keys lead to a value. */
export interface SlotForm {
  readonly kind: "plain" | "keyed" | "union";
  readonly depth: number;
}

/** One key of a bind or an unbind, and where it is read. */
export interface WrittenKey {
  readonly span: Span;
  readonly part: Draft<BindKey>;
}

/** The keys of a bind or an unbind, outermost first; none for a plain slot. */
export function writtenKeys(entry: Draft<Bind> | Draft<Unbind>): readonly WrittenKey[] {
  const { key } = entry;
  if (key === undefined) return [];
  if (!isKeyList(key)) return [{ span: valueSpan(entry, "key"), part: key }];
  return key.map((part, index) => ({ span: valueSpan(key, index), part }));
}

function isKeyList(key: Draft<BindKey> | readonly Draft<BindKey>[]): key is readonly Draft<BindKey>[] {
  return Array.isArray(key);
}

/** The form that a bind gives its slot. */
export function formOf(bind: Draft<Bind>): SlotForm {
  if (bind.collect !== undefined) return { kind: "union", depth: 0 };
  const depth = writtenKeys(bind).length;
  return depth === 0 ? { kind: "plain", depth } : { kind: "keyed", depth };
}

/** Whether a key is read from each match of the path of its bind. */
export function isMatchKey(part: Draft<BindKey>): part is string {
  return typeof part === "string" && part.startsWith("@");
}

/** A form in words. */
export function formWords({ kind, depth }: SlotForm): string {
  if (kind === "keyed") return depth === 1 ? "one value for each key" : `one value under ${depth} nested keys`;
  return kind === "union" ? "a union of values" : "one value";
}

/** The forms of the slots of a pack, each as its first bind gives it; null when a broken file may bind more. */
export function slotForms(context: RuleContext): ReadonlyMap<string, SlotForm> | null {
  const slots = context.slots();
  if (slots === null) return null;
  const forms = new Map<string, SlotForm>();
  for (const [name, [first]] of slots) if (first !== undefined) forms.set(name, formOf(first.bind));
  return forms;
}
