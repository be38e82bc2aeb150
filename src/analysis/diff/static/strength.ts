import type { CompiledPack } from "../../../artifact/compiled.js";
import { canonicalJson } from "../../../base/canonical-json.js";

/** How much the new form of something allows, compared with the old one; `unclear` if reading does not show it. */
export type Strength = "same" | "looser" | "tighter" | "unclear";

/** The packs that are compared, and the tool; null for the packs as a whole. */
export interface Reading {
  readonly before: CompiledPack;
  readonly after: CompiledPack;
  readonly tool: string | null;
  /** Whether other sessions wait for what a session of the old pack gives up when it ends. */
  readonly isAwaited: boolean;
  /** The resources that the old workflow shares; null without one: it is not known then which workflows use the pack. */
  readonly shared: ReadonlySet<string> | null;
}

/** Whether the new form of something is shown to stop everything that the old one stops. */
export type AsStrong<T> = (after: T, before: T, reading: Reading) => boolean;

/** How each field of a type is compared; a new field does not compile without an entry. */
export type Fields<T> = { readonly [K in keyof T]-?: AsStrong<T> };

/** For fields without a meaning of their own: places, names, and fields that are compared with another one. */
export const always = (): boolean => true;

/** As strong in every field. */
export function inEveryField<T>(fields: Fields<T>): AsStrong<T> {
  const readers: readonly AsStrong<T>[] = Object.values(fields);
  return (after, before, reading) => readers.every((isAsStrong) => isAsStrong(after, before, reading));
}

/** The comparison in both directions. */
export function strengthBy<T>(isAsStrong: AsStrong<T>, before: T, after: T, reading: Reading): Strength {
  const { before: old, after: current } = reading;
  return strengthOf(
    isAsStrong(after, before, reading),
    isAsStrong(before, after, { ...reading, before: current, after: old }),
  );
}

/** The strength, from whether each form is as strong as the other. */
export function strengthOf(isKept: boolean, wasKept: boolean): Strength {
  if (isKept) return wasKept ? "same" : "tighter";
  return wasKept ? "looser" : "unclear";
}

/** An upper bound may only decrease; null means none. */
export function atMost<T>(bound: (of: T) => number | null): AsStrong<T> {
  return (after, before) => (bound(after) ?? Number.POSITIVE_INFINITY) <= (bound(before) ?? Number.POSITIVE_INFINITY);
}

/** A lower bound may only increase; null means none. */
export function atLeast<T>(bound: (of: T) => number | null): AsStrong<T> {
  return (after, before) => (bound(after) ?? Number.NEGATIVE_INFINITY) >= (bound(before) ?? Number.NEGATIVE_INFINITY);
}

/** The value must be the same. */
export function equal<T>(part: (of: T) => unknown): AsStrong<T> {
  return (after, before) => canonicalJson(part(after)) === canonicalJson(part(before));
}

/** Whether one list contains only items of the other. */
export function isWithin(part: readonly string[], whole: readonly string[]): boolean {
  return part.every((item) => whole.includes(item));
}

/** Permitted values may only be removed. */
export function fewer<T>(permitted: (of: T) => readonly string[]): AsStrong<T> {
  return (after, before) => isWithin(permitted(after), permitted(before));
}

/** Required values may only be added. */
export function more<T>(asked: (of: T) => readonly string[]): AsStrong<T> {
  return (after, before) => isWithin(asked(before), asked(after));
}
