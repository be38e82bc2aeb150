import type { Json, JsonObject } from "../../base/json.js";

/**
 * The arguments of one call that checks read by a single name, each at its slot; undefined if not given. There may be
 * more room than slots.
 */
export type FieldValues = readonly (Json | undefined)[];

const MOST_SEEN = 256;

/** Tested with every call: if the prototype of all objects was extended, `for in` finds more than own names. */
const EMPTY: object = {};

const FEW = 8;

/** Room for a few values. A literal is laid out in place; copying a list is a call, and takes 10 ns more. */
function roomForFew(none: undefined): (Json | undefined)[] {
  return [none, none, none, none, none, none, none, none];
}

/**
 * The names of arguments that the checks of one tool read, with a slot each, so that one pass over the arguments of a
 * call serves them all. Only own properties count.
 */
export class ArgumentFields {
  private readonly slots = new Map<string, number>();
  private readonly blank: undefined[] = [];
  /** The names of the previous call, in their order, and their slots: calls of one tool mostly look alike. */
  private readonly seenNames: string[] = [];
  private readonly seenSlots: number[] = [];

  /** The slot of a name; all are assigned before the first call is read. */
  slotOf(name: string): number {
    const known = this.slots.get(name);
    if (known !== undefined) return known;
    this.slots.set(name, this.blank.length);
    return this.blank.push(undefined) - 1;
  }

  read(args: JsonObject): FieldValues {
    const values: (Json | undefined)[] = this.blank.length <= FEW ? roomForFew(undefined) : this.blank.slice();
    for (const _ in EMPTY) return this.readOwn(args, values);
    let at = 0;
    for (const name in args) {
      // Otherwise the names of one call with very many arguments would be kept forever.
      if (at === MOST_SEEN) return this.readOwn(args, values);
      if (this.seenNames[at] !== name) this.see(at, name);
      const slot = this.seenSlots[at++] ?? -1;
      if (slot >= 0) values[slot] = args[name];
    }
    return values;
  }

  private readOwn(args: JsonObject, values: (Json | undefined)[]): FieldValues {
    for (const [name, slot] of this.slots) if (Object.hasOwn(args, name)) values[slot] = args[name];
    return values;
  }

  private see(at: number, name: string): void {
    this.seenNames[at] = name;
    this.seenSlots[at] = this.slots.get(name) ?? -1;
  }
}
