import type { Json } from "../../../src/base/json.js";
import type { Envelope, Stage } from "../../../src/language/schema/session.js";
import { additionsOf, type Bind } from "./additions.js";
import { isOfArguments, matchesOf } from "./captures.js";
import { type Call, type Calls, isCounted, type Output } from "./history.js";
import { contractOf, type Pack } from "./model.js";
import { valueAt } from "./select.js";

/** A call that happened, and whether its output was rejected. */
export interface Ended {
  readonly call: Call;
  readonly isViolated: boolean;
}

/** One way in which the unsettled calls may have ended: which happened, and in which order they committed. */
export interface World {
  /** Committed calls, in the order of their commits; those not yet settled come last, their outputs unknown. */
  readonly commits: readonly Call[];
  /** Every call that counts: committed, violated, or happened in this world. */
  readonly counted: readonly Call[];
  /** Calls that happened, in their order; violated ones only as far as that changes a slot. */
  readonly ended: readonly Ended[];
}

/** Every subset of the items in every order, each item in each of its ways. */
function arrangements<T, U>(items: readonly T[], ways: (item: T) => readonly U[]): readonly (readonly U[])[] {
  const longer = items.flatMap((first) => {
    const rests = arrangements(
      items.filter((item) => item !== first),
      ways,
    );
    return ways(first).flatMap((way) => rests.map((rest) => [way, ...rest]));
  });
  return [[], ...longer];
}

/** Every subset of the items. */
function subsets<T>([first, ...others]: readonly T[]): readonly (readonly T[])[] {
  if (first === undefined) return [[]];
  return subsets(others).flatMap((set) => [set, [first, ...set]]);
}

/** What has ended, whatever becomes of the calls that are open. */
export function endedOf({ ended }: Calls): readonly Ended[] {
  return ended.map((call) => ({ call, isViolated: call.effect === "violated" }));
}

function isPending({ effect }: Call): boolean {
  return effect === "pending";
}

/**
 * Every world that the unsettled calls leave open: which happened, in which order, and which were violated instead. Any of
 * them may be: an output that is no JSON, or too costly to judge, violates without a rule. When one was violated matters only
 * where it unbinds something.
 */
export function worldsOf(pack: Pack, calls: Calls): readonly World[] {
  const { all, commits } = calls;
  const pending = all.filter(isPending);
  const certain = all.filter((call) => isCounted(call) && call.effect !== "pending");
  const ways = (call: Call): readonly Ended[] =>
    unbindsAny(pack, call) ? [true, false].map((isViolated) => ({ call, isViolated })) : [{ call, isViolated: false }];
  return arrangements(pending, ways).flatMap((happened) => {
    const calledOff = pending.filter((call) => !happened.some((ended) => ended.call === call));
    const ended = [...endedOf(calls), ...happened];
    return subsets(calledOff.filter((call) => !unbindsAny(pack, call))).map((violated) => ({
      commits: [...commits, ...happened.flatMap(({ call, isViolated }) => (isViolated ? [] : [call]))],
      counted: [...certain, ...happened.map(({ call }) => call), ...violated],
      ended,
    }));
  });
}

function unbindsAny(pack: Pack, { tool }: Call): boolean {
  const contract = contractOf(pack, tool);
  return contract !== null && additionsOf(contract).unbinds !== undefined;
}

/** What a call of the tool does to the slots: nothing, something if it commits, or something even if it is violated. */
function changeOf(pack: Pack, tool: string, slots: readonly string[]): "none" | "commit" | "always" {
  const contract = contractOf(pack, tool);
  const { binds = [], unbinds = [] } = contract === null ? {} : additionsOf(contract);
  const own = binds.filter(({ name }) => slots.includes(name));
  const isLost = own.some((bind) => isKeyedOrUnion(bind) && !isOfArguments(bind));
  if (isLost || unbinds.some(({ name }) => slots.includes(name))) return "always";
  return own.length > 0 ? "commit" : "none";
}

function isKeyedOrUnion({ key, collect }: Bind): boolean {
  return key !== undefined || collect !== undefined;
}

const knownWorlds = new WeakMap<Calls, Map<string, readonly World[]>>();

/**
 * Every world in which some of the slots may be different: only calls that change them matter, and a violated one only
 * where it unbinds or loses something. Nothing open has happened in the first.
 */
export function slotWorldsOf(pack: Pack, calls: Calls, slots: readonly string[]): readonly World[] {
  const known = knownWorlds.get(calls) ?? new Map<string, readonly World[]>();
  knownWorlds.set(calls, known);
  const name = slots.join(" ");
  const worlds = known.get(name) ?? makeSlotWorlds(pack, calls, slots);
  known.set(name, worlds);
  return worlds;
}

function makeSlotWorlds(pack: Pack, calls: Calls, slots: readonly string[]): readonly World[] {
  const pending = calls.all.filter(isPending).filter(({ tool }) => changeOf(pack, tool, slots) !== "none");
  const ways = (call: Call): readonly Ended[] => {
    const committed = { call, isViolated: false };
    return changeOf(pack, call.tool, slots) === "always" ? [committed, { call, isViolated: true }] : [committed];
  };
  return arrangements(pending, ways).map((ended) => ({
    commits: [...calls.commits, ...ended.flatMap(({ call, isViolated }) => (isViolated ? [] : [call]))],
    counted: [],
    ended: [...endedOf(calls), ...ended],
  }));
}

/** A value that calls write: not written (or taken away), written, or written from an output not yet seen. */
export type Held =
  | { readonly kind: "unset" }
  | { readonly kind: "set"; readonly value: Json }
  | { readonly kind: "unknown" };

const UNSET: Held = { kind: "unset" };

function held(value: Json | undefined): Held {
  return value === undefined ? UNSET : { kind: "set", value };
}

/** What a call writes from an output; null where it writes nothing at all. */
function readOutput(output: Output, path: string): Held | null {
  switch (output.kind) {
    case "known":
      return held(valueAt(path, output.value));
    case "none":
      return UNSET;
    case "unknown":
      return { kind: "unknown" };
    case "void":
      return null;
  }
}

/** What a plain bind writes; a text that does not decode is nothing. */
function bound(call: Call, bind: Bind): Held | null {
  if (bind.decode === undefined) return written(call, bind);
  if (bind.source === "output" && call.output.kind !== "known") return readOutput(call.output, bind.path);
  const output = call.output.kind === "known" ? call.output.value : undefined;
  return held(matchesOf(bind, { arguments: call.args, output })?.[0]);
}

function written(call: Call, { source, path }: Bind | Stage): Held | null {
  if (source === "output") return readOutput(call.output, path);
  return held(valueAt(path, call.args));
}

/** The phase after the last advancing call of the world; null where the pack has no phases. */
export function phaseIn(pack: Pack, world: World): string | null {
  const initial = pack.session?.phases?.find((phase) => phase.initial === true)?.name ?? null;
  const advances = world.commits.flatMap(({ tool }) => contractOf(pack, tool)?.transitions?.advances_to ?? []);
  return advances.at(-1) ?? initial;
}

/** The value of a plain slot: that of the last call of the world that binds it, unless one unbinds it later. */
export function slotIn(pack: Pack, world: World, slot: string): Held {
  const writes = world.ended.flatMap(({ call, isViolated }) => {
    const contract = contractOf(pack, call.tool);
    if (contract === null) return [];
    const { binds = [], unbinds = [] } = additionsOf(contract);
    const unbound = unbinds.filter(({ name }) => name === slot).map(() => UNSET);
    if (isViolated) return unbound;
    return [...unbound, ...binds.filter(({ name }) => name === slot).flatMap((bind) => bound(call, bind) ?? [])];
  });
  return writes.at(-1) ?? UNSET;
}

/** The value of the last stage of the world that has one of the roles. */
export function referenceIn(world: World, envelope: Envelope, roles: readonly Stage["role"][]): Held {
  const writes = world.commits.flatMap((call) =>
    envelope.stages
      .filter(({ tool, role }) => tool === call.tool && roles.includes(role))
      .flatMap((stage) => written(call, stage) ?? []),
  );
  return writes.at(-1) ?? UNSET;
}
