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

/** Whether a slot changes even where the output of a call of the tool is rejected: something is unbound, or lost. */
function losesWhenViolated(pack: Pack, tool: string): boolean {
  const contract = contractOf(pack, tool);
  if (contract === null) return false;
  const { binds = [], unbinds = [] } = additionsOf(contract);
  return unbinds.length > 0 || binds.some((bind) => isKeyedOrUnion(bind) && !isOfArguments(bind));
}

function isKeyedOrUnion({ key, collect }: Bind): boolean {
  return key !== undefined || collect !== undefined;
}

/** What has ended, whatever becomes of the calls that are open. */
export function endedOf({ ended }: Calls): readonly Ended[] {
  return ended.map((call) => ({ call, isViolated: call.effect === "violated" }));
}

/**
 * Every world that the unsettled calls leave open: which happened, in which order, and which were violated instead. Any of
 * them may be: an output that is no JSON, or too costly to judge, violates without a rule. The first is the one where none
 * of them happened.
 */
export function worldsOf(pack: Pack, calls: Calls): readonly World[] {
  const { all, commits } = calls;
  const pending = all.filter(({ effect }) => effect === "pending");
  const certain = all.filter((call) => isCounted(call) && call.effect !== "pending");
  const ways = (call: Call): readonly Ended[] => {
    const committed = { call, isViolated: false };
    return losesWhenViolated(pack, call.tool) ? [committed, { call, isViolated: true }] : [committed];
  };
  return arrangements(pending, ways).flatMap((ended) => {
    const others = pending.filter((call) => ended.every((one) => one.call !== call));
    const unchanging = others.filter((call) => !losesWhenViolated(pack, call.tool));
    const happened = ended.flatMap(({ call, isViolated }) => (isViolated ? [] : [call]));
    return subsets(unchanging).map((violated) => ({
      commits: [...commits, ...happened],
      counted: [...certain, ...ended.map(({ call }) => call), ...violated],
      ended: [...endedOf(calls), ...ended],
    }));
  });
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
