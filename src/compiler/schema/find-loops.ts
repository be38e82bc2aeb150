import type { Link, Schema, SchemaObject } from "./schema-tree.js";

interface Frame {
  readonly schema: SchemaObject;
  readonly next: readonly Schema[];
  at: number;
}

function onSameValue(schema: SchemaObject): readonly Schema[] {
  const linked = schema.link === null ? [] : [schema.link.target];
  return [...linked, ...schema.allOf, ...schema.others.flatMap((other) => other.onSameValue)];
}

/** The ref that closes a loop; every loop has one, since what is written inside a schema is a tree. */
function closingLink(loop: readonly Frame[]): Link | undefined {
  return loop.findLast((frame) => frame.at === 1 && frame.schema.link !== null)?.schema.link ?? undefined;
}

/** Refs by which a schema applies itself to the same value again, so that judging would never end. */
export function findLoops(schemas: Iterable<SchemaObject>): ReadonlySet<Link> {
  const loops = new Set<Link>();
  const visited = new Set<SchemaObject>();
  const open = new Set<SchemaObject>();
  // Invariant: `stack` is the path to the current schema. No recursion, because chains of refs can be long.
  const stack: Frame[] = [];
  const enter = (schema: Schema): void => {
    if (typeof schema === "boolean" || visited.has(schema)) return;
    visited.add(schema);
    open.add(schema);
    stack.push({ schema, next: onSameValue(schema), at: 0 });
  };
  for (const start of schemas) {
    enter(start);
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const next = frame.next[frame.at++];
      if (next === undefined) {
        open.delete(frame.schema);
        stack.pop();
      } else if (typeof next === "object" && open.has(next)) {
        const link = closingLink(stack.slice(stack.findIndex(({ schema }) => schema === next)));
        if (link !== undefined) loops.add(link);
      } else enter(next);
    }
  }
  return loops;
}
