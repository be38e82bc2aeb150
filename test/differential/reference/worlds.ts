import type { Json } from "../../../src/base/json.js";
import type { Envelope, Stage } from "../../../src/language/schema/session.js";
import type { Bind } from "../../../src/language/schema/tool.js";
import { type Call, type Calls, isCounted, type Output } from "./history.js";
import { contractOf, type Pack } from "./model.js";
import { valueAt } from "./select.js";

/** One way in which the unsettled calls may have ended: which happened, and in which order they committed. */
export interface World {
  /** Committed calls, in the order of their commits; those not yet settled come last, their outputs unknown. */
  readonly commits: readonly Call[];
  /** Every call that counts: committed, violated, or happened in this world. */
  readonly counted: readonly Call[];
}

/** Every subset of the items in every order. */
function arrangements<T>(items: readonly T[]): readonly (readonly T[])[] {
  const longer = items.flatMap((first) =>
    arrangements(items.filter((item) => item !== first)).map((rest) => [first, ...rest]),
  );
  return [[], ...longer];
}

/** Every subset of the items. */
function subsets<T>([first, ...others]: readonly T[]): readonly (readonly T[])[] {
  if (first === undefined) return [[]];
  return subsets(others).flatMap((set) => [set, [first, ...set]]);
}

/**
 * Every world that the unsettled calls leave open: which happened, in which order, and which were violated instead. Any of
 * them may be: an output that is no JSON, or too costly to judge, violates without a rule.
 */
export function worldsOf({ all, commits }: Calls): readonly World[] {
  const pending = all.filter(({ effect }) => effect === "pending");
  const certain = all.filter((call) => isCounted(call) && call.effect !== "pending");
  return arrangements(pending).flatMap((happened) => {
    const others = pending.filter((call) => !happened.includes(call));
    return subsets(others).map((violated) => ({
      commits: [...commits, ...happened],
      counted: [...certain, ...happened, ...violated],
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

/** The value written by the last call of the world that binds the slot. */
export function slotIn(pack: Pack, world: World, slot: string): Held {
  const writes = world.commits.flatMap((call) =>
    (contractOf(pack, call.tool)?.binds ?? [])
      .filter(({ name }) => name === slot)
      .flatMap((bind) => written(call, bind) ?? []),
  );
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
