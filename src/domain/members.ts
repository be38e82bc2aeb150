import type { Json } from "../base/json.js";
import { type Compounds, holdsCompound } from "./compounds.js";
import { type Content, type Domain, holds } from "./domain.js";
import { type Found, found, NONE, UNSURE } from "./found.js";
import { someNumber } from "./number-members.js";
import { someText } from "./text-members.js";

/** What a place may find: surely where the part of the domain that it is from is exact. */
export interface Member {
  readonly content: Content;
  readonly isSure: boolean;
}

/** Lists that are made are no longer. */
const LONGEST = 10_000;

/** What fills a list up where anything does. */
const FILLER: Found<Json> = { kind: "found", value: "text" };

function fillerOf({ items }: Compounds<Domain>): Found<Json> {
  if (items === null) return FILLER;
  const member = someMember(items);
  if (member.kind !== "found") return member;
  return member.value.content === undefined ? NONE : found(member.value.content);
}

function someList(lists: Compounds<Domain>): Found<Json> {
  const { listed, low, high, items, parts } = lists;
  const [first] = listed ?? [];
  if (listed !== null) return first === undefined ? NONE : found(first);
  const fit = parts.map((part) => items === null || holds(items, part));
  if (parts.length > high || fit.includes(false)) return NONE;
  if (fit.includes(null)) return UNSURE;
  const missing = low - parts.length;
  if (missing <= 0 && holdsCompound(lists, parts, holds) === true) return found(parts);
  if (missing > LONGEST) return UNSURE;
  const filler = fillerOf(lists);
  if (filler.kind !== "found") return filler;
  // One of so many lengths is not excluded.
  for (let more = Math.max(0, missing); more <= Math.max(0, missing) + lists.except.length; more++) {
    const list = [...parts, ...Array.from({ length: more }, () => filler.value)];
    if (list.length <= high && holdsCompound(lists, list, holds) === true) return found(list);
  }
  return UNSURE;
}

function someObject(objects: Compounds<Domain>): Found<Json> {
  const { listed, except } = objects;
  const candidates = listed ?? [{}, ...except.map((_, at) => ({ text: at }))];
  const member = candidates.find((value) => holdsCompound(objects, value, holds) === true);
  return member === undefined ? NONE : found(member);
}

function fewOf({ few }: Domain): Found<Content> {
  if (few.has("true") || few.has("false")) return found(few.has("true"));
  if (few.has("null")) return found(null);
  return few.has("absent") ? found(undefined) : NONE;
}

interface Part {
  readonly isExact: boolean;
  readonly look: () => Found<Content>;
}

function partsOf(domain: Domain): readonly Part[] {
  const { texts, numbers, lists, objects } = domain;
  return [
    { isExact: texts.isExact, look: () => someText(texts) },
    { isExact: numbers.isExact, look: () => someNumber(numbers) },
    { isExact: true, look: () => fewOf(domain) },
    { isExact: lists.isExact, look: () => someList(lists) },
    { isExact: objects.isExact, look: () => someObject(objects) },
  ];
}

/** Something that a place with the domain may find; sure if there is something sure. Texts before other kinds, the absence of a value last. */
export function someMember(domain: Domain): Found<Member> {
  return firstOf(partsOf(domain));
}

/** The same where it does not matter which: texts, which take longest, are looked for last. */
export function anyMember(domain: Domain): Found<Member> {
  return firstOf([...partsOf(domain)].reverse());
}

function firstOf(parts: readonly Part[]): Found<Member> {
  let other: Found<Member> = NONE;
  for (const { isExact, look } of parts) {
    const member = look();
    if (member.kind === "found") {
      if (isExact) return found({ content: member.value, isSure: true });
      if (other.kind !== "found") other = found({ content: member.value, isSure: false });
    } else if (member.kind === "unsure" && other.kind === "none") other = UNSURE;
  }
  return other;
}
