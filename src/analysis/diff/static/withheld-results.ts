import type { CompiledKey, CompiledPack, CompiledTool } from "../../../artifact/compiled.js";
import type { PackRule } from "../../../artifact/pack-rules.js";
import { checksOf } from "../../model/checks-of.js";
import { writtenBy } from "../../proof/callable.js";
import type { RulePair } from "./match-rules.js";
import { slotsRead } from "./slots-read.js";
import type { Reading } from "./strength.js";

/** Whether a rule judges results of calls. */
export function judgesResults(rule: PackRule | null): boolean {
  return rule?.body.kind === "output_invariant" || rule?.body.kind === "ensures" || rule?.body.kind === "output_stage";
}

/** Whether later calls are compared with what calls of a tool write. */
function leavesValues({ name, binds, commits }: CompiledTool, pack: CompiledPack): boolean {
  const slots = slotsRead(pack);
  const stages = pack.envelopes.flatMap((envelope) =>
    envelope.stages.filter((stage) => stage.tool === name && writtenBy(envelope, stage) !== null),
  );
  // Arguments of a call that commits at dispatch are written before its result arrives.
  const isOfOutput = (key: CompiledKey) => "match" in key || key.source === "output";
  const bound = binds.filter(({ slot }) => slots.has(slot));
  return (
    [...bound, ...stages].some(({ source }) => source === "output" || commits === "on_result") ||
    bound.some(({ key = [] }) => key.some(isOfOutput))
  );
}

/** Whether a later result of a tool may revoke what an earlier one permitted. */
function revokes({ name, commits }: CompiledTool, { tools }: CompiledPack): boolean {
  // Without its result a call that commits at dispatch permits nothing.
  if (commits === "at_dispatch") return false;
  return tools.some(({ checks }) =>
    checksOf(checks, "precondition").some(({ prior }) => prior?.tool === name && prior.with_output.length > 0),
  );
}

/** Whether results of a tool may restrict a session: by leaving a phase, replacing a value or revoking a permission. */
function mayClose(tool: CompiledTool, pack: CompiledPack): boolean {
  const leaves = pack.phases !== null && tool.advances_to !== null && tool.commits === "on_result";
  return leaves || leavesValues(tool, pack) || revokes(tool, pack);
}

/**
 * Whether a rule that withholds more results than before permits nothing that those results would have restricted: the call
 * counts, but a withheld result advances no phase, binds nothing and revokes nothing.
 */
export function isKeptByResults({ before, after }: RulePair, reading: Reading): boolean {
  if (!judgesResults(before) && !judgesResults(after)) return true;
  const old = reading.before.tools.find(({ name }) => name === reading.tool);
  return old === undefined || !mayClose(old, reading.before);
}
