import { type Draft, isDamaged, markKeyDamaged } from "./draft.js";
import { keySpan, locate, placesIn } from "./located.js";
import type { ToolDefaults } from "./schema/session.js";
import type { ToolContract } from "./schema/tool.js";

/** A field that `tool_defaults` may give. */
export type DefaultField = keyof ToolDefaults & string;

/** For every field that may have a default, true: a new one does not compile without an entry. */
const FIELDS: Readonly<Record<DefaultField, true>> = {
  evidence_class: true,
  commit_requirement: true,
  timeouts: true,
  retries: true,
  rate_limits: true,
  assertions: true,
  golden_cases: true,
  allowed_errors: true,
  transitions: true,
  schema_derived: true,
  policy: true,
  response_format_invariants: true,
  checkpoint: true,
};

function isField(key: string): key is DefaultField {
  return Object.hasOwn(FIELDS, key);
}

/** Every field that may have a default. */
export const DEFAULT_FIELDS: readonly DefaultField[] = Object.keys(FIELDS).filter(isField);

/** The fields that defaults give, also those that were dropped because their name or value was wrong. */
export function givenFields(defaults: Draft<ToolDefaults>): readonly DefaultField[] {
  const { keys } = placesIn(defaults);
  return DEFAULT_FIELDS.filter((field) => keys.has(field) || isDamaged(defaults, field));
}

/** Whether a contract has taken a field from the defaults: then both are written at one place. */
export function takesDefault(
  contract: Draft<ToolContract>,
  defaults: Draft<ToolDefaults>,
  field: DefaultField,
): boolean {
  return keySpan(contract, field) === keySpan(defaults, field);
}

/** Marks what a contract leaves out, where session.yaml is too broken to tell whether it has defaults. */
export function takeUnknownDefaults(contract: Draft<ToolContract>): void {
  const { keys } = placesIn(contract);
  for (const field of DEFAULT_FIELDS) if (!keys.has(field)) markKeyDamaged(contract, field);
}

/** So many values may be taken from defaults by all tools of a pack together. */
export const MOST_TAKEN = 500_000;

const sizes = new WeakMap<object, number>();

/** How many values a value consists of; of a list or mapping that was counted before, it is known. */
function sizeOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  const size = sizes.get(value) ?? Object.values(value).reduce<number>((sum, item) => sum + sizeOf(item), 1);
  sizes.set(value, size);
  return size;
}

/** How many values a contract would take from the defaults. */
export function takenSize(contract: Draft<ToolContract>, defaults: Draft<ToolDefaults>): number {
  const { keys } = placesIn(contract);
  const missing = givenFields(defaults).filter((field) => !keys.has(field));
  return missing.reduce((sum, field) => sum + sizeOf(defaults[field]), 0);
}

/**
 * Gives a contract the defaults of the fields that it leaves out, whole and with their places in session.yaml. What is wrong with
 * a default was found there; a contract that takes it only counts as damaged.
 */
export function takeDefaults(contract: Draft<ToolContract>, defaults: Draft<ToolDefaults>): void {
  const own = placesIn(contract);
  const given = placesIn(defaults);
  const keys = new Map(own.keys);
  const values = new Map(own.values);
  for (const field of givenFields(defaults)) {
    if (own.keys.has(field)) continue;
    keys.set(field, keySpan(defaults, field));
    values.set(field, given.values.get(field) ?? given.self);
    if (Object.hasOwn(defaults, field)) Object.assign(contract, { [field]: defaults[field] });
    if (isDamaged(defaults, field)) markKeyDamaged(contract, field);
  }
  locate(contract, { ...own, keys, values });
}
