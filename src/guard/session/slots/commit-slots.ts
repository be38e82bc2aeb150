import { unreachable } from "../../../base/invariant.js";
import type { Json } from "../../../base/json.js";
import type { CollectionEffects } from "../../program/tool-effects.js";
import { type Call, UNKNOWN } from "../call.js";
import type { DeniedCall, Session } from "../session.js";
import type { Mode } from "./open-changes.js";
import {
  bindChange,
  type Change,
  isWild,
  knownPlace,
  lossOf,
  needsOutput,
  unbindChange,
  unbindNeedsOutput,
} from "./slot-changes.js";
import type { Binding, SlotContent } from "./slot-content.js";

/** Applies a change to the content of a slot. */
export function applyChange(content: SlotContent, change: Change): void {
  switch (change.kind) {
    case "clear":
      content.clear(change.keys);
      break;
    case "bind":
      for (const binding of change.bindings) content.bind(binding, null);
      break;
    case "unset":
      content.unset(change.place.text, change.place.keys);
      break;
    case "lost":
      content.lose();
      break;
    default:
      unreachable(change);
  }
}

type Visit = (content: SlotContent, effect: CollectionEffects) => void;

/** Visits what a call changes. By index, as every call comes here and most have nothing to visit. */
function forEachContent({ collections }: Session, effects: readonly CollectionEffects[], visit: Visit): void {
  for (let at = 0; at < effects.length; at++) {
    const effect = effects[at];
    const content = effect === undefined ? undefined : collections.get(effect.slot);
    if (effect !== undefined && content !== undefined) visit(content, effect);
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
  forEachContent(session, tool.collections, (content, effect) => {
    for (const change of committedChanges(effect, args, output)) applyChange(content, change);
  });
}

/** A call happened, but what it returned does not count, or it is not known when it happened. */
export function rejectCollections(session: Session, { tool, args }: DeniedCall): void {
  forEachContent(session, tool.collections, (content, effect) => {
    for (const change of rejectedChanges(effect, args)) applyChange(content, change);
  });
}

/**
 * Commits a call to one slot before its output arrived: what depends on that is awaited, also whether it is lost with an output that is
 * rejected. Then nothing is bound from the arguments.
 */
export function commitUnseen(content: SlotContent, effect: CollectionEffects, { id, args }: Call, mode: Mode): void {
  const sources = { args, output: undefined };
  for (const unbind of effect.unbinds) {
    if (!unbindNeedsOutput(unbind)) applyChange(content, unbindChange(unbind, sources));
  }
  if (isWild(effect, args)) content.await(id);
  for (const bind of effect.binds) {
    const place = needsOutput(bind) ? knownPlace(bind, args) : null;
    if (place !== null) content.bind({ ...place, value: UNKNOWN }, id);
    else if (!needsOutput(bind) && mode === "committed") applyChange(content, bindChange(bind, sources));
  }
}

/** Commits a call when it is sent. */
export function dispatchCollections(session: Session, call: Call): void {
  forEachContent(session, call.tool.collections, (content, effect) => commitUnseen(content, effect, call, "committed"));
}

/** What an output changes at places that it decides itself; null if it lacks them. */
function arrivedChange({ unbinds, binds }: CollectionEffects, args: Json, output: Json) {
  const sources = { args, output };
  const wild = binds.filter((bind) => needsOutput(bind) && knownPlace(bind, args) === null);
  const clears = [];
  const bindings: Binding[] = [];
  for (const change of [
    ...unbinds.filter(unbindNeedsOutput).map((unbind) => unbindChange(unbind, sources)),
    ...wild.map((bind) => bindChange(bind, sources)),
  ]) {
    if (change.kind === "lost") return null;
    if (change.kind === "clear") clears.push(change.keys);
    else if (change.kind === "unset") clears.push(change.place.keys);
    else for (const binding of change.bindings) bindings.push(binding);
  }
  return { clears, binds: bindings };
}

/** The output of a call that was committed when it was sent: undefined if it never comes, or was rejected. */
export function arriveCollections(session: Session, { id, tool, args }: Call, output: Json | undefined): void {
  forEachContent(session, tool.collections, (content, effect) => {
    for (const bind of effect.binds.filter(needsOutput)) {
      const place = knownPlace(bind, args);
      if (place === null) continue;
      const change = output === undefined ? null : bindChange(bind, { args, output });
      const value = change?.kind === "bind" ? change.bindings[0]?.value : undefined;
      content.arrive(place.text, id, value === UNKNOWN ? undefined : value);
    }
    if (isWild(effect, args)) content.resolve(id, output === undefined ? null : arrivedChange(effect, args, output));
  });
}
