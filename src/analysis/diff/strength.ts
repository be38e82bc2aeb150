/** How much the new form of something lets pass, compared with the old one; `unclear` where that cannot be told. */
export type Strength = "same" | "looser" | "tighter" | "unclear";

/** What two changes at once amount to. */
export function both(one: Strength, other: Strength): Strength {
  if (one === "same") return other;
  return other === "same" || other === one ? one : "unclear";
}

/** What several changes at once amount to. */
export function all(strengths: readonly Strength[]): Strength {
  return strengths.reduce(both, "same");
}

/** The other way round: a condition that lets more pass makes a refusal that hangs on it broader. */
export function inverse(strength: Strength): Strength {
  if (strength === "looser") return "tighter";
  return strength === "tighter" ? "looser" : strength;
}

/** Of an upper bound; null stands for none. */
export function ofUpper(before: number | null, after: number | null): Strength {
  const [from, to] = [before ?? Number.POSITIVE_INFINITY, after ?? Number.POSITIVE_INFINITY];
  if (from === to) return "same";
  return to > from ? "looser" : "tighter";
}

/** Of a lower bound; null stands for none. */
export function ofLower(before: number | null, after: number | null): Strength {
  return ofUpper(before === null ? null : -before, after === null ? null : -after);
}

/** Of a list of what is permitted, by the texts of its items. */
export function ofPermitted(before: readonly string[], after: readonly string[]): Strength {
  const lost = before.some((item) => !after.includes(item));
  const gained = after.some((item) => !before.includes(item));
  if (lost) return gained ? "unclear" : "tighter";
  return gained ? "looser" : "same";
}
