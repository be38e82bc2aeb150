import type { Tool } from "@modelcontextprotocol/client";
import type { CompiledTool } from "../../artifact/compiled.js";
import type { Guard } from "../../guard/guard-api.js";
import type { Catalog } from "./catalog.js";

/** The two generations of the protocol: since 2026-07-28 the list of tools must not vary. */
export type Era = "legacy" | "modern";

/** How long a change of the tools may go unannounced. */
const SOON_MS = 10;

/** What the contract says of a tool; what the server says of it in `annotations` is not trusted. */
function annotated(tool: Tool, contract: CompiledTool | undefined): Tool {
  const { annotations: _, ...rest } = tool;
  if (contract === undefined) return rest;
  const { side_effect: effect } = contract;
  return {
    ...rest,
    annotations: { readOnlyHint: effect === "read", destructiveHint: !["read", "write"].includes(effect) },
  };
}

function isUnmatched(guard: Guard, tool: string): boolean {
  return guard.explain({ tool, args: {} }).some(({ reason }) => reason === "unmatched_tool");
}

/** The tools to list: in the older protocol those that can be called now, in the newer one all that are ever judged. */
export function listedTools(guard: Guard, catalog: Catalog, era: Era): Tool[] {
  const hidden = new Set(era === "legacy" ? guard.visibleTools().hidden.map(({ tool }) => tool) : []);
  return catalog
    .unchanged()
    .filter(({ name }) => !hidden.has(name))
    .filter(({ name }) => catalog.contract(name) !== undefined || !isUnmatched(guard, name))
    .map((tool) => annotated(tool, catalog.contract(tool.name)));
}

/** Calls the listener whenever other tools can be called than before; the function that it returns ends this. */
export function onNarrowed(guard: Guard, listener: () => void): () => void {
  const shown = () => guard.visibleTools().visible.join("\n");
  let last = shown();
  let timer: NodeJS.Timeout | null = null;
  const compare = () => {
    timer = null;
    const now = shown();
    if (now === last) return;
    last = now;
    listener();
  };
  // Once for all calls that end together, and after their answers, which do not have to wait for the comparison.
  const compareSoon = () => {
    timer ??= setTimeout(compare, SOON_MS).unref();
  };
  const stops = (["settled", "killed", "approval_answered"] as const).map((event) => guard.on(event, compareSoon));
  return () => {
    if (timer !== null) clearTimeout(timer);
    for (const stop of stops) stop();
  };
}
