import type { Json } from "../../../src/base/json.js";
import { evaluate, prepareExpression } from "../../../src/guard/expression/evaluate.js";
import { FORGOTTEN, type SlotKey, type SlotMap, type SlotReader } from "../../../src/guard/expression/slot-reader.js";
import { UNKNOWN } from "../../../src/guard/session/call.js";
import { reading } from "../../unit/compiler/expression/reading.js";
import type { Evaluator } from "./compare/compare.js";
import type { Input } from "./scope.js";
import type { Completeness, KeyedEntry, KeyedSlot, Slot, UnionSlot } from "./slots.js";

type NotFound = typeof FORGOTTEN | typeof UNKNOWN | null;

/** What not finding something means. */
function absent(completeness: Completeness): NotFound {
  if (completeness === "incomplete") return FORGOTTEN;
  return completeness === "complete" ? null : UNKNOWN;
}

function below({ entries }: KeyedSlot, keys: readonly SlotKey[]): readonly KeyedEntry[] {
  return entries.filter((entry) => keys.every((key, at) => entry.keys[at] === key));
}

function mapOf(entries: readonly KeyedEntry[], depth: number): SlotMap {
  const map = new Map<SlotKey, Json | SlotMap>();
  for (const { keys, held } of entries) {
    const [key] = keys.slice(depth);
    if (key === undefined || map.has(key)) continue;
    const own = entries.filter((entry) => entry.keys[depth] === key);
    map.set(key, keys.length === depth + 1 ? (held.kind === "set" ? held.value : null) : mapOf(own, depth + 1));
  }
  return map;
}

/** The slots of an input as the guard reads those of a session. */
class InputSlots implements SlotReader {
  constructor(private readonly slots: Input["slots"]) {}

  read(name: string) {
    const slot = this.of(name, "plain");
    if (slot.held.kind === "awaited") return UNKNOWN;
    return slot.held.kind === "set" ? slot.held.value : undefined;
  }

  entry(name: string, keys: readonly SlotKey[]) {
    const slot = this.of(name, "keyed");
    const [own] = below(slot, keys);
    if (own === undefined) return absent(slot.completeness) ?? undefined;
    return own.held.kind === "set" ? own.held.value : UNKNOWN;
  }

  branch(name: string, keys: readonly SlotKey[]) {
    const slot = this.of(name, "keyed");
    const entries = below(slot, keys);
    const known = entries.filter(({ held }) => held.kind === "set");
    if (slot.completeness === "incomplete" || slot.completeness === "lost")
      return { value: mapOf(known, keys.length), isComplete: false };
    if (slot.completeness === "awaited" || known.length < entries.length) return UNKNOWN;
    return { value: mapOf(known, keys.length), isComplete: true };
  }

  hasBranch(name: string, keys: readonly SlotKey[]) {
    const slot = this.of(name, "keyed");
    const entries = below(slot, keys);
    if (entries.some(({ held }) => held.kind === "set")) return true;
    return entries.length > 0 ? UNKNOWN : (absent(slot.completeness) ?? false);
  }

  union(name: string) {
    const { values, completeness } = this.of(name, "union");
    if (completeness === "awaited") return UNKNOWN;
    return { value: values, isComplete: completeness === "complete" };
  }

  includes(name: string, value: Json) {
    const slot: UnionSlot = this.of(name, "union");
    if (slot.values.some((candidate) => JSON.stringify(candidate) === JSON.stringify(value))) return true;
    return absent(slot.completeness) ?? false;
  }

  isLeftUnset(): boolean {
    return false;
  }

  private of<K extends Slot["kind"]>(name: string, kind: K): Extract<Slot, { kind: K }> {
    const slot = this.slots.get(name);
    if (slot?.kind !== kind) throw new Error(`\`${name}\` is read as ${kind}`);
    return slot as Extract<Slot, { kind: K }>; // of the kind that was asked for
  }
}

/** The guard as an evaluator of texts: what the compiler accepts, judged in one world. */
export const evaluateByGuard: Evaluator = (text, input) => {
  const shapes = new Map(
    Array.from(input.slots, ([name, slot]) => [
      name,
      { kind: slot.kind, depth: slot.kind === "keyed" ? slot.depth : 0 },
    ]),
  );
  const result = reading(text, {
    slots: Object.fromEntries(shapes),
    constants: input.constants,
    hasTimezone: input.timezone !== null,
    hasOutput: input.output !== undefined,
  });
  if (!result.ok) return null;
  const context = { constants: input.constants, timezone: input.timezone, slots: shapes };
  const prepared = prepareExpression({ text, tree: result.expression.tree }, context);
  return evaluate(prepared, { ...input, output: input.output ?? null, slots: new InputSlots(input.slots) }).kind;
};
