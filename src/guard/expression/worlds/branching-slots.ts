import { present, slotWrite } from "../../decide/worlds.js";
import type { Call } from "../../session/call.js";
import type { Session } from "../../session/session.js";
import type { SlotReader, SlotValue } from "../slot-reader.js";
import { Choices } from "./choices.js";
import { PresentSlots } from "./present-slots.js";

/** The slots in one world after the other: what open calls leave there, whichever of them happen, in any order. */
export class BranchingSlots extends PresentSlots implements SlotReader {
  readonly choices = new Choices();
  private readonly writers = new Map<string, ReadonlySet<Call>>();

  constructor(private readonly session: Session) {
    super(session.slots);
  }

  override read(slot: string): SlotValue {
    const writers = this.writersOf(slot);
    const last = writers.size === 0 ? null : this.choices.lastWriter(slot, writers);
    return last === null ? present(this.slots.get(slot)) : slotWrite(last, slot)?.value;
  }

  private writersOf(slot: string): ReadonlySet<Call> {
    const known = this.writers.get(slot);
    if (known !== undefined) return known;
    const writers = new Set(this.session.open?.slot(slot)?.calls ?? []);
    this.writers.set(slot, writers);
    return writers;
  }
}
