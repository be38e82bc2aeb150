import type { SlotReader } from "../../expression/slot-reader.js";
import type { StatefulRules } from "../../program/tool-effects.js";
import type { Session } from "../session.js";
import { SlotWorld } from "./slot-world.js";
import { Tape } from "./tape.js";

/**
 * Lets something be judged in every way in which the open calls may end, the present state first; `judge` returns false to stop.
 * Only what is read is told apart. False if there are more than `most` such worlds: not all of them were judged then.
 */
export function eachWorld(
  rules: StatefulRules,
  session: Session,
  { most, judge }: { readonly most: number; readonly judge: (slots: SlotReader) => boolean },
): boolean {
  const tape = new Tape();
  for (let count = 1; count <= most; count++) {
    if (!judge(new SlotWorld(rules, session, tape))) return true;
    if (!tape.next()) return true;
  }
  return false;
}
