/** The keys and indices that lead to one value of a JSON document. */
export type Trail = readonly (string | number)[];

type Container = Record<string, unknown> | unknown[];

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return isContainer(value) && !Array.isArray(value);
}

/** `artifact.packs[0].tools`, as a refusal names it. */
export function nameOf(trail: Trail): string {
  return trail.reduce<string>(
    (name, key) => (typeof key === "number" ? `${name}[${key}]` : `${name}.${key}`),
    "artifact",
  );
}

/** The trails of all entries of objects; what a contract's author wrote as a value of their own is left out. */
export function entriesOf(value: unknown, trail: Trail = []): readonly Trail[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => entriesOf(item, [...trail, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const here = [...trail, key];
    return key === "value" || key === "values" ? [here] : [here, ...entriesOf(item, here)];
  });
}

/** One trail for each kind of part: the first of all that differ only in their indices. */
export function kindsOf(trails: readonly Trail[]): readonly Trail[] {
  const byKind = new Map<string, Trail>();
  for (const trail of trails) {
    const kind = nameOf(trail).replace(/[0-9]+/g, "");
    if (!byKind.has(kind)) byKind.set(kind, trail);
  }
  return [...byKind.values()];
}

function valueAt(root: unknown, trail: Trail): unknown {
  return trail.reduce<unknown>((value, key) => (isContainer(value) ? Reflect.get(value, key) : undefined), root);
}

/** A copy of the document with one container changed. */
export function changed(root: unknown, trail: Trail, change: (container: Container) => void): unknown {
  const copy: unknown = structuredClone(root);
  const container = valueAt(copy, trail);
  if (!isContainer(container)) throw new Error(`${nameOf(trail)} is no object or list`);
  change(container);
  return copy;
}

/** A copy without all line numbers and the hash over them. */
export function withoutLines(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLines);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => key !== "line" && key !== "hash");
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutLines(item)]));
}
