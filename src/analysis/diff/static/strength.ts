import type { CompiledPack } from "../../../artifact/compiled.js";
import { canonicalJson } from "../../../base/canonical-json.js";

/** How much the new form of something lets pass, compared with the old one; `unclear` where reading does not tell. */
export type Strength = "same" | "looser" | "tighter" | "unclear";

/** The packs that something is read in, and the tool it is read for; null where it is for the pack as a whole. */
export interface Reading {
  readonly before: CompiledPack;
  readonly after: CompiledPack;
  readonly tool: string | null;
}

/** Whether the new form of something is shown to let nothing pass that the old one stops. */
export type AsStrong<T> = (after: T, before: T, reading: Reading) => boolean;

/** For every field of a type how it is compared, so that a new field does not compile without an answer. */
export type Fields<T> = { readonly [K in keyof T]-?: AsStrong<T> };

/** What says nothing by itself: where something stands, what it is called, or what another field is read with. */
export const always = (): boolean => true;

/** As strong in every field. */
export function inEveryField<T>(fields: Fields<T>): AsStrong<T> {
  const readers: readonly AsStrong<T>[] = Object.values(fields);
  return (after, before, reading) => readers.every((isAsStrong) => isAsStrong(after, before, reading));
}

/** The comparison read both ways. */
export function strengthBy<T>(isAsStrong: AsStrong<T>, before: T, after: T, reading: Reading): Strength {
  const { before: old, after: current, tool } = reading;
  return strengthOf(
    isAsStrong(after, before, reading),
    isAsStrong(before, after, { before: current, after: old, tool }),
  );
}

/** What follows from whether the new form is as strong as the old one, and the old one as the new one. */
export function strengthOf(isKept: boolean, wasKept: boolean): Strength {
  if (isKept) return wasKept ? "same" : "tighter";
  return wasKept ? "looser" : "unclear";
}

/** An upper bound may only fall; null stands for none. */
export function atMost<T>(bound: (of: T) => number | null): AsStrong<T> {
  return (after, before) => (bound(after) ?? Number.POSITIVE_INFINITY) <= (bound(before) ?? Number.POSITIVE_INFINITY);
}

/** A lower bound may only rise; null stands for none. */
export function atLeast<T>(bound: (of: T) => number | null): AsStrong<T> {
  return (after, before) => (bound(after) ?? Number.NEGATIVE_INFINITY) >= (bound(before) ?? Number.NEGATIVE_INFINITY);
}

/** Only the same will do. */
export function equal<T>(part: (of: T) => unknown): AsStrong<T> {
  return (after, before) => canonicalJson(part(after)) === canonicalJson(part(before));
}

/** Whether the one list holds nothing that the other does not. */
export function isWithin(part: readonly string[], whole: readonly string[]): boolean {
  return part.every((item) => whole.includes(item));
}

/** What is permitted may only become less. */
export function fewer<T>(permitted: (of: T) => readonly string[]): AsStrong<T> {
  return (after, before) => isWithin(permitted(after), permitted(before));
}

/** What is asked for may only become more. */
export function more<T>(asked: (of: T) => readonly string[]): AsStrong<T> {
  return (after, before) => isWithin(asked(before), asked(after));
}
