/** Members with these names are literals of contracts, which may have any shape. */
const LITERALS: ReadonlySet<string> = new Set(["value", "values"]);

/** The members of a part of an artifact, without the literals that a contract holds. */
export function membersOf(part: object): readonly unknown[] {
  return Object.entries(part).flatMap(([name, item]) => (LITERALS.has(name) ? [] : [item]));
}
