import { type Content, complement, type Domain, intersect } from "./domain.js";
import type { Found } from "./found.js";
import { anyMember, type Member, someMember } from "./members.js";

/** An answer; `yes` and `no` are certain. */
export type Answer = "yes" | "no" | "unknown";

function isNone(member: Found<Member>): Answer {
  if (member.kind === "none") return "yes";
  return member.kind === "found" && member.value.isSure ? "no" : "unknown";
}

/** Whether a place with the domain may find nothing at all, not even the absence of a value. */
export function isEmpty(domain: Domain): Answer {
  return isNone(anyMember(domain));
}

/** What the first domain has and the second lacks. */
export function difference(first: Domain, second: Domain): Found<Member> {
  return someMember(intersect(first, complement(second)));
}

/** Whether the second domain has all that the first has. */
export function isWithin(first: Domain, second: Domain): Answer {
  return isNone(anyMember(intersect(first, complement(second))));
}

/** How what one domain accepts relates to another one: a part of it, the same, and so on. */
export type Relation = "equal" | "stronger" | "weaker" | "incomparable" | "unknown";

export interface Comparison {
  readonly relation: Relation;
  /** What only the first, or only the second has; null where nothing was found. */
  readonly onlyFirst: Only | null;
  readonly onlySecond: Only | null;
}

/** A content that shows a difference; of an inexact domain it may not. */
export interface Only {
  readonly content: Content;
  readonly isSure: boolean;
}

function onlyIn(member: Found<Member>): Only | null {
  return member.kind === "found" ? member.value : null;
}

/** Compares two domains in both directions. */
export function compareDomains(first: Domain, second: Domain): Comparison {
  const [here, there] = [difference(first, second), difference(second, first)];
  const [isInside, isOutside] = [isNone(here), isNone(there)];
  const shown = { onlyFirst: onlyIn(here), onlySecond: onlyIn(there) };
  return { relation: RELATIONS[isInside][isOutside], ...shown };
}

/** By whether the first is within the second, and the second within the first. */
const RELATIONS: Readonly<Record<Answer, Readonly<Record<Answer, Relation>>>> = {
  yes: { yes: "equal", no: "stronger", unknown: "unknown" },
  no: { yes: "weaker", no: "incomparable", unknown: "unknown" },
  unknown: { yes: "unknown", no: "unknown", unknown: "unknown" },
};
