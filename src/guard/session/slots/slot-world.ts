import { spend } from "../../../base/cost.js";
import type { Json } from "../../../base/json.js";
import { present, slotWrite } from "../../decide/worlds.js";
import type { SlotKey, SlotMap, SlotReader, SlotValue, WholeSlot } from "../../expression/slot-reader.js";
import type { StatefulRules } from "../../program/tool-effects.js";
import { type Call, UNKNOWN } from "../call.js";
import type { Session } from "../session.js";
import { applyChange, committedChanges, rejectedChanges } from "./commit-slots.js";
import { type Ended, isPossible, type PlaceChoice, type ReadPlace, type SlotChoice } from "./endings.js";
import { CLEARED, leftAt, type Mode, type OpenChange, type OpenChanges } from "./open-changes.js";
import { textOfValue } from "./slot-changes.js";
import type { SlotContent } from "./slot-content.js";
import { textOfKeys } from "./slot-key.js";
import type { Tape } from "./tape.js";

/** The cost of trying one way in which open calls may end. */
const TRY_COST = 500;

/** The cost of copying one value of a slot. */
const COPY_COST = 32;

/** More ways than these for one slot are not looked at: the call waits until fewer calls are open. */
const MOST_ORDERS = 2_000;

/** Why a slot cannot be read as a whole. */
type Unread = Exclude<SlotValue, Json | undefined>;

/** A slot after some open calls; null if what they change is not known. */
interface Decided extends SlotChoice {
  readonly content: SlotContent | null;
}

/**
 * The slots in one way in which the open calls may end. It is chosen while reading: a place that such calls may write has its
 * present value, or what one of them leaves there as the last. What was chosen holds for the rest of the world, and what no
 * order of commits leads to is not chosen.
 */
export class SlotWorld implements SlotReader {
  private readonly places = new Map<string, PlaceChoice>();
  private readonly decided = new Map<number, Decided>();

  constructor(
    private readonly rules: StatefulRules,
    private readonly session: Session,
    private readonly tape: Tape,
  ) {}

  read(slot: string): SlotValue {
    const { open, slots } = this.session;
    const writers = open?.slot(slot);
    if (writers === undefined) return present(slots.get(slot));
    const candidates = Array.from(writers.calls).flatMap((call) => modesOf(call, call.tool.unbinds.includes(slot)));
    const last = this.lastOf({ slot, index: null, text: "", keys: [] }, candidates);
    return last === null ? present(slots.get(slot)) : slotWrite(last.call, slot)?.value;
  }

  entry(slot: string, keys: readonly SlotKey[]): SlotValue {
    return this.at(this.indexOf(slot), { text: textOfKeys(keys), keys });
  }

  branch(slot: string, keys: readonly SlotKey[]): WholeSlot<SlotMap> | Unread {
    const content = this.whole(this.indexOf(slot));
    return content === null ? UNKNOWN : content.branch(keys);
  }

  union(slot: string): WholeSlot<readonly Json[]> | Unread {
    const content = this.whole(this.indexOf(slot));
    return content === null ? UNKNOWN : content.union();
  }

  includes(slot: string, value: Json): boolean | Unread {
    const text = textOfValue(value);
    // No union has a value that is too large to be compared.
    const found = text === undefined ? undefined : this.at(this.indexOf(slot), { text, keys: [] });
    if (found === undefined) return false;
    return typeof found === "symbol" ? found : true;
  }

  isLeftUnset(slot: string, keys: readonly SlotKey[]): boolean {
    const index = this.rules.collections.findIndex(({ name }) => name === slot);
    if (index === -1) return this.session.slots.has(slot) && present(this.session.slots.get(slot)) === undefined;
    return this.session.collections[index]?.isLeftUnset(textOfKeys(keys)) ?? false;
  }

  private indexOf(slot: string): number {
    return this.rules.collections.findIndex(({ name }) => name === slot);
  }

  /** The value at one place of a keyed slot or a union. */
  private at(index: number, { text, keys }: Pick<ReadPlace, "text" | "keys">): SlotValue {
    const content = this.session.collections[index];
    if (content === undefined) return undefined;
    const open = this.session.open?.collection(index);
    if (open === undefined) return content.read(text, keys);
    if (this.decided.has(index) || dependsOnOrder(content, open)) {
      const after = this.whole(index);
      return after === null ? UNKNOWN : after.read(text, keys);
    }
    const touching = open.touching(text, keys);
    const candidates = touching.flatMap((change) =>
      modesOf(change.call, leftAt(change, "rejected", text, keys) !== null),
    );
    const slot = this.rules.collections[index]?.name ?? "";
    const last = this.lastOf({ slot, index, text, keys }, candidates);
    const left = last === null ? null : leftOf(open, last, { text, keys });
    if (left === null) return content.read(text, keys);
    return left.value === CLEARED ? content.absent() : left.value;
  }

  /** The call that writes a place last, as far as the earlier choices allow it. */
  private lastOf(place: ReadPlace, candidates: readonly Ended[]): Ended | null {
    const id = `${place.index ?? ""} ${place.slot} ${place.text}`;
    const known = this.places.get(id);
    if (known !== undefined) return known.last;
    const options = [null, ...candidates].filter((last) => this.isPossibleWith({ place, last }, null));
    const last = options[this.tape.choose(options.length)] ?? null;
    this.places.set(id, { place, last });
    return last;
  }

  /** A whole slot after those of the open calls that this world lets happen; null if that is not known. */
  private whole(index: number): SlotContent | null {
    const content = this.session.collections[index];
    const open = this.session.open?.collection(index);
    if (content === undefined || open === undefined) return content ?? null;
    const known = this.decided.get(index);
    if (known !== undefined) return known.content;
    const orders = ordersOf(open.all())?.filter((steps) => this.isPossibleWith(null, { index, steps })) ?? null;
    const steps = orders === null ? null : (orders[this.tape.choose(orders.length)] ?? []);
    const after = steps === null ? null : contentAfter(content, open, steps);
    this.decided.set(index, { index, steps: steps ?? [], content: after });
    return after;
  }

  private isPossibleWith(place: PlaceChoice | null, slot: SlotChoice | null): boolean {
    spend(TRY_COST);
    return isPossible(this.session, {
      places: place === null ? [...this.places.values()] : [...this.places.values(), place],
      slots: slot === null ? [...this.decided.values()] : [...this.decided.values(), slot],
    });
  }
}

/** What a call may have done to a place: one that clears it does so even if its output is rejected. */
function modesOf(call: Call, isCleared: boolean): readonly Ended[] {
  const committed: Ended = { call, mode: "committed" };
  const { binds, collections } = call.tool;
  const bindsMore = binds.length > 0 || collections.some((effect) => effect.binds.length > 0);
  return isCleared && bindsMore ? [committed, { call, mode: "rejected" }] : [committed];
}

function leftOf(open: OpenChanges, { call, mode }: Ended, { text, keys }: Pick<ReadPlace, "text" | "keys">) {
  const change = open.of(call);
  return change === undefined ? null : leftAt(change, mode, text, keys);
}

/** Whether reading one place depends on more than the call that writes it last. */
function dependsOnOrder(content: SlotContent, open: OpenChanges): boolean {
  return open.mayForget(content) || (!content.isComplete && open.clearsWhole);
}

/** Every set of these calls in every order, the fewest first; null if there are too many. */
function ordersOf(changes: readonly OpenChange[]): readonly (readonly Ended[])[] | null {
  const endings = changes.map(({ call, clears }) => modesOf(call, clears.size > 0));
  const orders: (readonly Ended[])[] = [[]];
  for (let at = 0; at < orders.length; at++) {
    const order = orders[at] ?? [];
    for (const modes of endings) {
      if (order.some(({ call }) => call === modes[0]?.call)) continue;
      for (const ended of modes) orders.push([...order, ended]);
    }
    if (orders.length > MOST_ORDERS) return null;
  }
  return orders;
}

function changesOf({ call, effect }: OpenChange, mode: Mode) {
  if (mode === "rejected") return rejectedChanges(effect, call.args);
  return committedChanges(effect, call.args, undefined);
}

function contentAfter(content: SlotContent, open: OpenChanges, steps: readonly Ended[]): SlotContent | null {
  // The copy is made when the first change comes.
  if (steps.length > 0) spend(COPY_COST * content.size);
  const after = content.copy();
  for (const { call, mode } of steps) {
    const change = open.of(call);
    if (change === undefined) continue;
    if (mode === "committed" && (change.isWild || [...change.binds.values()].includes(UNKNOWN))) return null;
    for (const each of changesOf(change, mode)) applyChange(after, each);
  }
  return after;
}
