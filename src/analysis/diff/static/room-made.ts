import type { Artifact, CompiledPack, CompiledTool, CompiledWorkflow } from "../../../artifact/compiled.js";
import { matcherOf } from "./error-strength.js";
import type { RulePair } from "./match-rules.js";
import { isWithin, type Reading } from "./strength.js";
import { judgesResults } from "./withheld-results.js";

/** Whether a killed session makes room: what it owns, and its place among active sessions or open handoffs, is free at once. */
export function isRoomMade({ limits, shared_resources: shared }: CompiledWorkflow): boolean {
  const isLimited = limits.max_active_sessions !== null || limits.max_open_handoffs !== null;
  return isLimited || shared.some(({ mode }) => mode === "single_writer");
}

/** Whether other sessions wait for what a session of the pack gives up when its circuit breaker ends it. */
export function isAwaited({ packs, workflow }: Artifact, pack: CompiledPack): boolean {
  if (workflow === null || !isRoomMade(workflow)) return false;
  return workflow.roles.some((role) => packs[role.pack] === pack);
}

/** Whether errors end sessions of the new pack that others wait for. */
function doErrorsMakeRoom({ after, isAwaited: isEndAwaited }: Reading): boolean {
  return isEndAwaited && after.circuit_breaker.consecutive_errors !== null;
}

/** Whether a stronger rule ends no session sooner that others wait for: a breaker does, and a rejected result is an error. */
export function isEndKept({ before, after }: RulePair, reading: Reading): boolean {
  const rules = [before, after];
  if (rules.some((rule) => rule?.body.kind === "circuit_breaker")) return !reading.isAwaited;
  return !rules.some(judgesResults) || !doErrorsMakeRoom(reading);
}

/** The same for the errors that a tool may have: those that are not expected any more are counted. */
export function areCountsKept(after: CompiledTool, before: CompiledTool, reading: Reading): boolean {
  const matchersOf = ({ allowed_errors: errors }: CompiledTool) => errors.map(matcherOf);
  return !doErrorsMakeRoom(reading) || isWithin(matchersOf(before), matchersOf(after));
}
