import type { Graph } from "@dagrejs/graphlib";

/** Walks of graphs without recursion: graphlib's own recurse, and a chain of nodes may be longer than the stack is deep. */

/** The nodes that edges lead to from these, themselves included. */
export function reachedFrom(graph: Graph, from: Iterable<string>): ReadonlySet<string> {
  const found = new Set(from);
  for (const id of found) for (const next of graph.successors(id) ?? []) found.add(next);
  return found;
}

/** Nodes in the order in which a depth-first walk leaves them. */
function finished(graph: Graph): readonly string[] {
  const seen = new Set<string>();
  const order: string[] = [];
  for (const start of graph.nodes()) {
    const stack: { readonly id: string; readonly next: string[] }[] = [];
    const enter = (id: string) => {
      if (seen.has(id)) return;
      seen.add(id);
      stack.push({ id, next: [...(graph.successors(id) ?? [])] });
    };
    enter(start);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const next = top.next.pop();
      if (next !== undefined) enter(next);
      else order.push(stack.pop()?.id ?? "");
    }
  }
  return order;
}

/** The strongly connected groups, by Kosaraju's two walks. */
export function groupsOf(graph: Graph): readonly (readonly string[])[] {
  const grouped = new Set<string>();
  return finished(graph)
    .toReversed()
    .flatMap((start) => {
      if (grouped.has(start)) return [];
      const group = new Set([start]);
      for (const id of group) {
        grouped.add(id);
        for (const before of graph.predecessors(id) ?? []) if (!grouped.has(before)) group.add(before);
      }
      return [[...group]];
    });
}
