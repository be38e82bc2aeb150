import type { CompiledAggregate, CompiledEnvelope, CompiledTool } from "../../artifact/compiled.js";
import { bindWords, unbindWords } from "../../artifact/slot-wording.js";
import { canonicalJson } from "../../base/canonical-json.js";
import type { Program } from "../../guard/program/program.js";
import type { ToolEffects, Watch } from "../../guard/program/tool-effects.js";

/**
 * What decides which state a rule keeps, as texts that are equal if the state means the same. Places, reasons and bounds
 * are no part of them: those may change under a session.
 */

/** Of a precondition's prior tool. */
export function watchDefinition({ tool, withOutput, resource }: Watch): string {
  const outputs = withOutput.map(({ path, operators }) => ({ path: path.text, operators }));
  return canonicalJson({ tool, outputs, resource: resource?.text ?? null });
}

/** Of an aggregate. */
export function aggregateDefinition({ metric, tools, path, per }: CompiledAggregate): string {
  return canonicalJson({ metric, tools: tools?.toSorted() ?? null, path: path?.text ?? null, per: per?.text ?? null });
}

/** Of an envelope. */
export function envelopeDefinition({ constraint, stages }: CompiledEnvelope): string {
  const all = stages.map(({ tool, path, role, source }) => canonicalJson({ tool, path: path.text, role, source }));
  return canonicalJson({ constraint, stages: all.sort() });
}

type SlotEffects = Pick<CompiledTool, "binds" | "unbinds">;

/** What a tool binds and unbinds. */
function effectsOf({ binds = [], unbinds = [] }: Partial<SlotEffects>): readonly string[] {
  return [...binds.map(bindWords), ...unbinds.map((unbind) => `unbinds ${unbindWords(unbind)}`)];
}

/** Of a slot: the tools that bind or unbind it, and from where. */
export function slotDefinition({ tools }: Program, slot: string): string {
  const isOf = (entry: { readonly slot: string }) => entry.slot === slot;
  const binders = [...tools.values()].flatMap(({ name, compiled }) => {
    const binds = compiled?.binds.filter(isOf) ?? [];
    const unbinds = compiled?.unbinds?.filter(isOf) ?? [];
    return effectsOf({ binds, unbinds }).map((effect) => canonicalJson([name, effect]));
  });
  return canonicalJson(binders.sort());
}

/** Of what settling a call of a tool does; what it adds to aggregates is part of their definitions. */
export function settlingDefinition({ envelopes }: Program, tool: ToolEffects): string {
  const { compiled, commitsAtDispatch, isRead, advancesTo, stages, watches } = tool;
  return canonicalJson({
    hasContract: compiled !== null,
    ...{ commitsAtDispatch, isRead, advancesTo },
    binds: effectsOf(compiled ?? {}),
    stages: stages.map(({ envelope, stage: { path, source }, writes }) => [
      envelopes[envelope]?.name ?? "",
      source,
      path.text,
      writes,
    ]),
    watches: watches.map(watchDefinition),
  });
}
