import { spend } from "../../../base/cost.js";
import type { Json } from "../../../base/json.js";
import { present, slotWrite } from "../../decide/worlds.js";
import type { SlotKey, SlotMap, SlotReader, SlotValue, WholeSlot } from "../../expression/slot-reader.js";
import { UNKNOWN } from "../call.js";
import type { Session } from "../session.js";
import { type Ended, isPossible, type PlaceChoice, type ReadPlace, type SlotChoice, unbinds } from "./endings.js";
import { CLEARED, leftAt, type OpenChanges } from "./open-changes.js";
import { contentAfter, endingsOf, ordersOf } from "./orders.js";
import { textOfValue } from "./slot-changes.js";
import type { SlotContent } from "./slot-content.js";
import { textOfKeys } from "./slot-key.js";
import { Tape } from "./tape.js";

/** The cost of trying one way in which open calls may end. */
const TRY_COST = 500;

/** The cost of listing a call that may have written a place, again for each world. */
const LISTING_COST = 40;

/** Why a slot cannot be read as a whole. */
type Unread = Exclude<SlotValue, Json | undefined>;

/** A slot after some open calls. */
interface Decided extends SlotChoice {
  readonly content: SlotContent;
}

/**
 * The slots of a session in one world after the other: one way in which its open calls may end. A world is chosen while it is
 * read: a place that such calls may write has its present value, or what one of them leaves there as the last. What was chosen
 * holds for the rest of the world, and what no order of commits leads to is not chosen. The first world is the present one.
 */
export class SlotWorlds implements SlotReader {
  private readonly tape = new Tape();
  private readonly places = new Map<string, PlaceChoice>();
  private readonly decided = new Map<string, Decided>();
  private readonly orders = new Map<string, readonly (readonly Ended[])[] | null>();

  constructor(private readonly session: Session) {}

  /** Whether no open call has changed anything that was read in this world. */
  get arePresent(): boolean {
    return this.tape.isFirst;
  }

  /** Goes on to the next world that differs in what was read; false if there is none. */
  next(): boolean {
    this.places.clear();
    this.decided.clear();
    return this.tape.next();
  }

  read(slot: string): SlotValue {
    const { open, slots } = this.session;
    const writers = open?.slot(slot);
    if (writers === undefined) return present(slots.get(slot));
    const candidates = Array.from(writers.calls).flatMap((call) => endingsOf(call, unbinds(call, slot)));
    const last = this.lastOf({ slot, isPlain: true, text: "", keys: [] }, candidates);
    if (last === null) return present(slots.get(slot));
    return last.mode === "rejected" ? undefined : slotWrite(last.call, slot)?.value;
  }

  entry(slot: string, keys: readonly SlotKey[]): SlotValue {
    return this.valueAt({ slot, isPlain: false, text: textOfKeys(keys), keys });
  }

  branch(slot: string, keys: readonly SlotKey[]): WholeSlot<SlotMap> | Unread {
    return this.whole(slot)?.branch(keys) ?? UNKNOWN;
  }

  hasBranch(slot: string, keys: readonly SlotKey[]): boolean | Unread {
    return this.whole(slot)?.hasBelow(keys) ?? UNKNOWN;
  }

  union(slot: string): WholeSlot<readonly Json[]> | Unread {
    return this.whole(slot)?.union() ?? UNKNOWN;
  }

  includes(slot: string, value: Json): boolean | Unread {
    const text = textOfValue(value);
    // No union has a value that is too large to be compared.
    const found = text === undefined ? undefined : this.valueAt({ slot, isPlain: false, text, keys: [] });
    if (found === undefined) return false;
    return typeof found === "symbol" ? found : true;
  }

  isLeftUnset(slot: string, keys: readonly SlotKey[]): boolean {
    const { collections, slots } = this.session;
    const content = collections.get(slot)?.present;
    return content === undefined ? slots.has(slot) : content.isLeftUnset(textOfKeys(keys));
  }

  /** The value at one place of a keyed slot or a union. */
  private valueAt(place: ReadPlace): SlotValue {
    const { slot, text, keys } = place;
    const content = this.session.collections.get(slot)?.present;
    if (content === undefined) return undefined;
    const open = this.session.open?.collection(slot);
    if (open === undefined) return content.read(text);
    if (this.decided.has(slot) || dependsOnOrder(content, open)) {
      const after = this.whole(slot);
      return after === null ? UNKNOWN : after.read(text);
    }
    const touching = open.touching(text, keys);
    const isLeft = (change: (typeof touching)[number]) => leftAt(change, "rejected", text, keys) !== null;
    const candidates = touching.flatMap((change) => endingsOf(change.call, isLeft(change)));
    const last = candidates.length === 0 ? null : this.lastOf(place, candidates);
    const change = last === null ? undefined : open.of(last.call);
    const left = last === null || change === undefined ? null : leftAt(change, last.mode, text, keys);
    if (left === null) return content.read(text);
    return left.value === CLEARED ? content.notFound() : left.value;
  }

  /** The call that writes a place last, as far as the earlier choices allow it. */
  private lastOf(place: ReadPlace, candidates: readonly Ended[]): Ended | null {
    const id = `${place.isPlain} ${place.slot} ${place.text}`;
    const known = this.places.get(id);
    if (known !== undefined) return known.last;
    const isFirst = this.places.size === 0 && this.decided.size === 0;
    if (isFirst) spend(LISTING_COST * candidates.length);
    // With nothing assumed yet, any of them may have come last.
    const options = [null, ...candidates].filter((last) => isFirst || this.isPossibleWith({ place, last }, null));
    const last = options[this.tape.choose(options.length)] ?? null;
    this.places.set(id, { place, last });
    return last;
  }

  /** A whole slot after those of the open calls that happen in this world; null if they are too many. */
  private whole(slot: string): SlotContent | null {
    const content = this.session.collections.get(slot)?.present ?? null;
    const open = this.session.open?.collection(slot);
    if (content === null || open === undefined) return content;
    const known = this.decided.get(slot);
    if (known !== undefined) return known.content;
    const all = this.ordersIn(slot, open);
    // Nothing is assumed of calls that are too many to be told apart.
    if (all === null) return null;
    // With nothing assumed yet, all of them are possible.
    const isFirst = this.places.size === 0 && this.decided.size === 0;
    const orders = isFirst ? all : all.filter((steps) => this.isPossibleWith(null, { slot, steps }));
    const steps = orders[this.tape.choose(orders.length)] ?? [];
    const after = contentAfter(content, open, steps);
    this.decided.set(slot, { slot, steps, content: after });
    return after;
  }

  /** The same in every world. */
  private ordersIn(slot: string, open: OpenChanges): readonly (readonly Ended[])[] | null {
    const known = this.orders.get(slot);
    if (known !== undefined) return known;
    const orders = ordersOf(open.all());
    spend(LISTING_COST * (orders?.length ?? 0));
    this.orders.set(slot, orders);
    return orders;
  }

  private isPossibleWith(place: PlaceChoice | null, slot: SlotChoice | null): boolean {
    spend(TRY_COST);
    return isPossible(this.session, {
      places: place === null ? [...this.places.values()] : [...this.places.values(), place],
      slots: slot === null ? [...this.decided.values()] : [...this.decided.values(), slot],
    });
  }
}

/** Whether reading one place depends on more than the call that writes it last. */
function dependsOnOrder(content: SlotContent, open: OpenChanges): boolean {
  return open.mayForget(content) || open.mayLose || (!content.isComplete && open.clearsWhole);
}
