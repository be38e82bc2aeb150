import type { SessionContract } from "../../../src/language/schema/session.js";
import type { ToolContract } from "../../../src/language/schema/tool.js";
import type { SessionAdditions, ToolAdditions } from "../reference/additions.js";
import type { Pack } from "../reference/model.js";
import { pack, type Step, state, tool } from "../scenario.js";

/** Parts of scenarios of language 1.1, which the types of contracts need not know yet. */
type ToolFields = Partial<Omit<ToolContract, "binds">> & Partial<ToolAdditions>;
type SessionFields = Partial<Omit<SessionContract, "session_limits" | "checkpoints" | "aggregates">> &
  Partial<SessionAdditions> & { readonly checkpoints?: readonly object[]; readonly aggregates?: readonly object[] };

/** A contract with fields of language 1.1. */
export function toolOf(name: string, fields: ToolFields): ToolContract {
  return Object.assign(tool(name), fields);
}

/** A pack of language 1.1. */
export function packOf(tools: readonly ToolContract[], session: SessionFields = {}): Pack {
  const { session: whole, ...rest } = pack(tools, {});
  return { ...rest, session: whole === null ? null : Object.assign(whole, { schema_version: "1.1", ...session }) };
}

/** A tool that needs an expression to be true. */
export function needs(name: string, ...expressions: readonly string[]): ToolContract {
  return toolOf(name, { requires: expressions.map((that) => ({ that, reason: "because" })) });
}

/** Reads an order: its output under the id in the arguments. */
export const READS = toolOf("read", {
  side_effect: "write",
  binds: [{ name: "order", source: "output", path: "$", key: { source: "arguments", path: "$.id" } }],
});

/** The same with the id in the output. */
export const FINDS = toolOf("find", { binds: [{ name: "order", source: "output", path: "$", key: "$.id" }] });

/** What was read of an order is no longer known. */
export const CHANGES = toolOf("change", { unbinds: [{ name: "order", key: "$.id" }] });

/** Adds the id of its arguments to a union. */
export const MARKS = toolOf("mark", { binds: [{ name: "marked", path: "$.id", collect: "union" }] });

/** Adds all ids of its output. */
export const LISTS = toolOf("list", {
  binds: [{ name: "listed", source: "output", path: "$.ids[*]", collect: "union" }],
});

export const bindings: Step = state(({ bindings: all }) => [...all]);
