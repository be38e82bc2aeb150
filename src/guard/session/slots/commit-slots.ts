import type { Json } from "../../../base/json.js";
import type { CollectionEffects, ToolEffects } from "../../program/tool-effects.js";
import { type Call, UNKNOWN } from "../call.js";
import type { DeniedCall, Session } from "../session.js";
import type { CommittedSlot } from "./committed-slot.js";
import type { Mode } from "./open-changes.js";
import {
  bindChange,
  type Change,
  knownPlace,
  lossOf,
  needsOutput,
  unbindChange,
  unbindNeedsOutput,
} from "./slot-changes.js";
import type { StepChange } from "./slot-step.js";

type Visit = (slot: CommittedSlot, effect: CollectionEffects) => void;

/** Visits what a call changes. By index, as every call comes here and most have nothing to visit. */
function forEachSlot({ collections }: Session, effects: readonly CollectionEffects[], visit: Visit): void {
  for (let at = 0; at < effects.length; at++) {
    const effect = effects[at];
    const slot = effect === undefined ? undefined : collections.get(effect.slot);
    if (effect !== undefined && slot !== undefined) visit(slot, effect);
  }
}

/** What a call does to one slot if it is committed; without output, what depends on it is lost. Unbinds come first. */
function committedChanges(
  { unbinds, binds }: CollectionEffects,
  args: Json,
  output: Json | undefined,
): readonly Change[] {
  return [
    ...unbinds.map((unbind) => unbindChange(unbind, { args, output })),
    ...binds.map((bind) => bindChange(bind, { args, output })),
  ];
}

/** What a call does to one slot if it happened and its output was rejected: it binds nothing, and what it may have changed is lost. */
function rejectedChanges({ unbinds, binds }: CollectionEffects, args: Json): readonly Change[] {
  return [
    ...unbinds.map((unbind) => unbindChange(unbind, { args, output: undefined })),
    ...binds.filter(needsOutput).map((bind) => lossOf(bind, args)),
  ];
}

/** Binds and unbinds what a settled call does; no output is one that never comes. */
export function commitCollections(session: Session, { tool, args }: Call, output: Json | undefined): void {
  forEachSlot(session, tool.collections, (slot, effect) => slot.apply(committedChanges(effect, args, output), null));
}

/** A call happened, but what it returned does not count, or it is not known when it happened. */
export function rejectCollections(session: Session, { tool, args }: DeniedCall): void {
  forEachSlot(session, tool.collections, (slot, effect) => slot.apply(rejectedChanges(effect, args), null));
}

/**
 * What a call does to one slot before its output arrived: what depends on that is awaited, also whether it is lost with an output that is
 * rejected. Then nothing is bound from the arguments.
 */
export function unseenChanges({ unbinds, binds }: CollectionEffects, args: Json, mode: Mode): readonly StepChange[] {
  const sources = { args, output: undefined };
  const changes = unbinds.map(
    (unbind): StepChange => (unbindNeedsOutput(unbind) ? AWAIT : unbindChange(unbind, sources)),
  );
  for (const bind of binds) {
    if (!needsOutput(bind)) {
      if (mode === "committed") changes.push(bindChange(bind, sources));
      continue;
    }
    const place = knownPlace(bind, args);
    changes.push(place === null ? AWAIT : { kind: "bind", bindings: [{ ...place, value: UNKNOWN }] });
  }
  return changes;
}

const AWAIT: StepChange = { kind: "await" };

/** Whether what a call that is sent does to a slot is needed later: its output changes it, or is judged by what was before. */
function isKept({ compiled }: ToolEffects, { unbinds, binds }: CollectionEffects): boolean {
  return compiled?.ensures !== undefined || unbinds.some(unbindNeedsOutput) || binds.some(needsOutput);
}

/** Commits a call when it is sent. */
export function dispatchCollections(session: Session, { id, tool, args }: Call): void {
  forEachSlot(session, tool.collections, (slot, effect) =>
    slot.apply(unseenChanges(effect, args, "committed"), isKept(tool, effect) ? id : null),
  );
}

/** The output of a call that was committed when it was sent: undefined if it never comes, or was rejected. */
export function arriveCollections(session: Session, { id, tool, args }: Call, output: Json | undefined): void {
  forEachSlot(session, tool.collections, (slot, effect) => {
    if (isKept(tool, effect)) slot.settle(id, committedChanges(effect, args, output));
  });
}
