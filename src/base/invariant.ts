/** Throws when an assumption of the code is broken; never used for a user's mistake. */
export function invariant(condition: unknown, claim: string): asserts condition {
  if (!condition) throw new Error(`invariant broken: ${claim}`);
}

/** Ends an exhaustive switch: a new union member does not compile until it has a case. */
export function unreachable(value: never): never {
  throw new Error(`invariant broken: unexpected case ${caseName(value)}`);
}

/** Names a case of a union without its content, which may be private. */
function caseName(value: unknown): string {
  const name = typeof value === "object" && value !== null && "kind" in value ? value.kind : value;
  return isShortName(name) ? `\`${name}\`` : `of type ${typeof value}`;
}

/** Whether a value is a plain lower-case name such as the `kind` of a union, so that it can be quoted. */
export function isShortName(value: unknown): value is string {
  return typeof value === "string" && /^[a-z][a-z0-9_]{0,31}$/.test(value);
}
