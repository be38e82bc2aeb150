import type { Json } from "../../../base/json.js";
import { present } from "../../decide/worlds.js";
import type { Session, Writes } from "../../session/session.js";
import type { SlotKey, SlotMap, SlotReader, SlotValue, WholeSlot } from "../slot-reader.js";

const NO_ENTRIES: WholeSlot<SlotMap> = { value: new Map(), isComplete: true };
const NO_VALUES: WholeSlot<readonly Json[]> = { value: [], isComplete: true };

/** The slots as the settled calls left them. */
export class PresentSlots implements SlotReader {
  constructor(protected readonly slots: ReadonlyMap<string, Writes>) {}

  read(slot: string): SlotValue {
    return present(this.slots.get(slot));
  }

  entry(_slot: string, _keys: readonly SlotKey[]): SlotValue {
    return undefined;
  }

  branch(_slot: string, _keys: readonly SlotKey[]): ReturnType<SlotReader["branch"]> {
    return NO_ENTRIES;
  }

  union(_slot: string): ReturnType<SlotReader["union"]> {
    return NO_VALUES;
  }

  includes(_slot: string, _value: Json): ReturnType<SlotReader["includes"]> {
    return false;
  }

  isLeftUnset(slot: string, _keys: readonly SlotKey[]): boolean {
    return this.slots.has(slot);
  }
}

/** The slots of a session as its settled calls left them. */
export function presentSlots({ slots }: Session): SlotReader {
  return new PresentSlots(slots);
}
