import type { CompiledCheck, CompiledPack, CompiledTool } from "../../artifact/compiled.js";
import { slotsRead } from "./cone-of-influence.js";

/** The old indices of the items that a slice keeps. */
function kept<T>(table: readonly T[], test: (item: T) => boolean): readonly number[] {
  return table.flatMap((item, index) => (test(item) ? [index] : []));
}

function renumbered(check: CompiledCheck, aggregates: readonly number[], envelopes: readonly number[]): CompiledCheck {
  if (check.kind === "aggregate") return { ...check, index: aggregates.indexOf(check.index) };
  return check.kind === "envelope" ? { ...check, index: envelopes.indexOf(check.index) } : check;
}

/**
 * A pack with only some of its tools, without the values that none of them reads. The guard judges their calls as under the
 * whole pack, as long as no other tool is called; its sessions are smaller.
 */
export function slicePack(pack: CompiledPack, names: ReadonlySet<string>): CompiledPack {
  const tools = pack.tools.filter(({ name }) => names.has(name));
  const read = new Set(tools.flatMap((tool) => slotsRead(tool, pack)));
  const checks = tools.flatMap((tool) => tool.checks);
  const aggregates = kept(pack.aggregates, (aggregate) =>
    checks.some((check) => check.kind === "aggregate" && pack.aggregates[check.index] === aggregate),
  );
  const envelopes = kept(pack.envelopes, (envelope) =>
    checks.some((check) => check.kind === "envelope" && pack.envelopes[check.index] === envelope),
  );
  const isRead = ({ slot }: { readonly slot: string }) => read.has(slot);
  const sliced = ({ unbinds = [], ...tool }: CompiledTool): CompiledTool => ({
    ...tool,
    checks: tool.checks.map((check) => renumbered(check, aggregates, envelopes)),
    binds: tool.binds.filter(isRead),
    ...(unbinds.some(isRead) ? { unbinds: unbinds.filter(isRead) } : {}),
  });
  const { slots = [], ...whole } = pack;
  const bound = slots.filter(({ name }) => read.has(name));
  return {
    ...whole,
    ...(bound.length > 0 ? { slots: bound } : {}),
    tools: tools.map(sliced),
    // Tools without a contract are not explored; what their checks count may be missing here.
    unmatched_checks: pack.unmatched_checks.filter(({ kind }) => kind !== "aggregate" && kind !== "envelope"),
    aggregates: aggregates.flatMap((index) => pack.aggregates[index] ?? []),
    envelopes: envelopes.flatMap((index) => pack.envelopes[index] ?? []),
  };
}
