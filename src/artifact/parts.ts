/** Literals of contracts stand under these names, and may look like anything. */
const LITERALS: ReadonlySet<string> = new Set(["value", "values"]);

/** The values that a part of an artifact is made of, without the literals that somebody wrote into a contract. */
export function partsOf(part: object): readonly unknown[] {
  return Object.entries(part).flatMap(([name, item]) => (LITERALS.has(name) ? [] : [item]));
}
