import type { KeyedSlot, PlainSlot, Slot, UnionSlot } from "../../reference/expression/slots.js";
import { additionsOf, type Bind, keysOf, sessionAdditions } from "./additions.js";
import { captured, hasKnownKeys, isOfArguments, matchesOf, readKeys, type Sources } from "./captures.js";
import type { Call } from "./history.js";
import { contractOf, type Pack } from "./model.js";
import { isDefinite } from "./select.js";
import { KeyedState, type SlotState, UnionState } from "./slot-state.js";
import { type Ended, slotIn, type World } from "./worlds.js";

/** How many keys or values a slot holds where session.yaml says nothing. */
const USUAL_LIMIT = 10_000;

function bindsOf(pack: Pack, slot: string): readonly Bind[] {
  return pack.tools.flatMap((contract) => additionsOf(contract).binds ?? []).filter(({ name }) => name === slot);
}

/** The slots of a pack by name. */
export function slotNames(pack: Pack): readonly string[] {
  return [...new Set(pack.tools.flatMap((contract) => (additionsOf(contract).binds ?? []).map(({ name }) => name)))];
}

function freshState(pack: Pack, slot: string): KeyedState | UnionState | null {
  const limit = new Map(Object.entries(sessionAdditions(pack.session).slot_limits ?? {})).get(slot) ?? USUAL_LIMIT;
  const [first] = bindsOf(pack, slot);
  if (first?.collect === "union") return new UnionState(limit);
  const depth = keysOf(first?.key).length;
  return depth === 0 ? null : new KeyedState(depth, limit);
}

function sourcesOf({ args, output }: Call): Sources {
  return { arguments: args, output: output.kind === "known" ? output.value : undefined };
}

/** Whether an output may still arrive from which the call writes; that of a rejected one has arrived. */
function isAwaited({ output, effect }: Call): boolean {
  return output.kind === "unknown" && effect !== "violated";
}

function unbind(state: SlotState, call: Call, unbind: Pick<Bind, "key">): void {
  const keys = readKeys(unbind, sourcesOf(call));
  if (keys !== null) state.unbind(keys);
  else if (isAwaited(call) && !hasKnownKeys(unbind)) state.await();
  else state.lose();
}

/** What the call might have written is no longer known: one key where it is known from the arguments, else everything. */
function lose(state: SlotState, call: Call, bind: Bind): void {
  const keys = bind.collect !== "union" && hasKnownKeys(bind) ? readKeys(bind, sourcesOf(call)) : null;
  // What the arguments lack no output brings.
  const mayCome = isAwaited(call) && !isOfArguments(bind);
  if (keys !== null && mayCome) state.bind(keys, { kind: "awaited" });
  else if (keys !== null) state.unbind(keys);
  else if (mayCome) state.await();
  else state.lose();
}

function bindKeyed(state: SlotState, call: Call, bind: Bind): void {
  const sources = sourcesOf(call);
  const pairs = captured(bind, sources);
  if (pairs === null) lose(state, call, bind);
  for (const { keys, value } of pairs ?? []) state.bind(keys, { kind: "set", value });
  if (pairs?.length !== 0 || !isDefinite(bind.path)) return;
  // A definite path that finds nothing unsets its key, as it does a plain slot; without that key it may be any.
  const keys = readKeys(bind, sources);
  if (keys === null) lose(state, call, bind);
  else state.unbind(keys);
}

function bindUnion(state: SlotState, call: Call, bind: Bind): void {
  const matches = matchesOf(bind, sourcesOf(call));
  if (matches === null) lose(state, call, bind);
  for (const value of matches ?? []) state.collect(value);
}

/** What one bind of a call does; without a known output only what the arguments say is sure. */
function write(state: SlotState, { call, isViolated }: Ended, bind: Bind): void {
  if (isOfArguments(bind)) {
    // A call whose output was rejected binds nothing.
    if (!isViolated) (bind.collect === "union" ? bindUnion : bindKeyed)(state, call, bind);
  } else if (isViolated || call.output.kind !== "known") lose(state, call, bind);
  else (bind.collect === "union" ? bindUnion : bindKeyed)(state, call, bind);
}

const known = new WeakMap<World, Map<string, KeyedSlot | UnionSlot | null>>();

/** A keyed slot or a union in a world: everything that ended is read again. Null for a plain slot. */
function stateIn(pack: Pack, world: World, slot: string): KeyedSlot | UnionSlot | null {
  const state = freshState(pack, slot);
  if (state === null) return null;
  for (const ended of world.ended) {
    const contract = contractOf(pack, ended.call.tool);
    if (contract === null) continue;
    const { binds = [], unbinds = [] } = additionsOf(contract);
    for (const one of unbinds) if (one.name === slot) unbind(state, ended.call, one);
    for (const one of binds) if (one.name === slot) write(state, ended, one);
  }
  return state.slot();
}

/** A slot in a world, as expressions read it. */
export function readSlotIn(pack: Pack, world: World, slot: string): Slot {
  const slots = known.get(world) ?? new Map<string, KeyedSlot | UnionSlot | null>();
  known.set(world, slots);
  const before = slots.get(slot);
  const own = before === undefined ? stateIn(pack, world, slot) : before;
  slots.set(slot, own);
  return own ?? plainIn(pack, world, slot);
}

function plainIn(pack: Pack, world: World, slot: string): PlainSlot {
  const held = slotIn(pack, world, slot);
  if (held.kind === "set") return { kind: "plain", held };
  return { kind: "plain", held: { kind: held.kind === "unset" ? "unset" : "awaited" } };
}
