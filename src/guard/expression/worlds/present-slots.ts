import type { Json } from "../../../base/json.js";
import { present } from "../../decide/worlds.js";
import type { Session } from "../../session/session.js";
import { textOfValue } from "../../session/slots/slot-changes.js";
import type { SlotContent } from "../../session/slots/slot-content.js";
import { textOfKeys } from "../../session/slots/slot-key.js";
import type { SlotKey, SlotMap, SlotReader, SlotValue, WholeSlot } from "../slot-reader.js";

const NO_ENTRIES: WholeSlot<SlotMap> = { value: new Map(), isComplete: true };
const NO_VALUES: WholeSlot<readonly Json[]> = { value: [], isComplete: true };

/** The slots of a session. */
export type Slots = Pick<Session, "slots" | "collections">;

/** The slots as the settled calls left them. */
export class PresentSlots implements SlotReader {
  constructor(protected readonly session: Slots) {}

  read(slot: string): SlotValue {
    return present(this.session.slots.get(slot));
  }

  /** The content of a keyed slot or a union. */
  protected content(slot: string): SlotContent | undefined {
    return this.session.collections.get(slot)?.present;
  }

  entry(slot: string, keys: readonly SlotKey[]): SlotValue {
    return this.content(slot)?.read(textOfKeys(keys));
  }

  branch(slot: string, keys: readonly SlotKey[]): ReturnType<SlotReader["branch"]> {
    return this.content(slot)?.branch(keys) ?? NO_ENTRIES;
  }

  hasBranch(slot: string, keys: readonly SlotKey[]): ReturnType<SlotReader["hasBranch"]> {
    return this.content(slot)?.hasBelow(keys) ?? false;
  }

  union(slot: string): ReturnType<SlotReader["union"]> {
    return this.content(slot)?.union() ?? NO_VALUES;
  }

  includes(slot: string, value: Json): ReturnType<SlotReader["includes"]> {
    const text = textOfValue(value);
    // No union has a value that is too large to be compared.
    const found = text === undefined ? undefined : this.content(slot)?.read(text);
    if (found === undefined) return false;
    return typeof found === "symbol" ? found : true;
  }

  isLeftUnset(slot: string, keys: readonly SlotKey[]): boolean {
    const content = this.content(slot);
    return content === undefined ? this.session.slots.has(slot) : content.isLeftUnset(textOfKeys(keys));
  }
}
