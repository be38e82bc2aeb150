import { MOST_WORK, workLeft } from "../../../base/cost.js";
import type { Session } from "../../session/session.js";
import { SlotWorlds } from "../../session/slots/slot-worlds.js";
import { type Answer, answerOf, type Judged, judgeFrame, type Prepared } from "../evaluate.js";
import { Fault } from "../fault.js";
import { Frame, type Input } from "../frame.js";
import { PresentSlots } from "./present-slots.js";

/** More ways in which unsettled calls may end are not looked at: the call waits for them. */
const MOST_WORLDS = 1000;

/** With less work left the judgement ends, as after too many worlds: what is left is for explaining it. */
const LEAST_WORK = MOST_WORK / 4;

/** An answer, and whether it is that of the present values alone. */
export type WorldsAnswer = Answer & { readonly isPresent: boolean };

/** What an expression reads beside slots. */
export type Surroundings = Omit<Input, "slots">;

const TRUE: WorldsAnswer = Object.freeze({ kind: "true", isPresent: true });

/** Of two answers that are not true that which names the refusal: a definite one comes first. */
const RANKS: Readonly<Record<Answer["kind"], number>> = { false: 3, unjudgeable: 2, awaited: 1, true: 0 };

function isOpen({ open }: Session, slots: ReadonlySet<string>): boolean {
  if (open === null) return false;
  for (const slot of slots) if (open.slot(slot) !== undefined || open.collection(slot) !== undefined) return true;
  return false;
}

/**
 * Judges an expression in every world that the unsettled calls of a session may lead to: true if it is true in all of them. If the
 * present world fails, its answer is the answer; otherwise a world where it is false comes before one where it cannot be judged, and
 * that before an output that is not known.
 */
export function judgeWorlds(prepared: Prepared, session: Session, surroundings: Surroundings): WorldsAnswer {
  if (!isOpen(session, prepared.reads.slots)) {
    const frame = new Frame(surroundings, new PresentSlots(session));
    const judged = judgeFrame(prepared, frame);
    return judged === true ? TRUE : { ...answerOf(prepared, frame, judged), isPresent: true };
  }
  let worst: WorldsAnswer = TRUE;
  const isDone = inWorlds(prepared, session, surroundings, (judged, frame, isPresent) => {
    if (judged === true) return true;
    if (isPresent || rankOf(judged) > RANKS[worst.kind]) worst = { ...answerOf(prepared, frame, judged), isPresent };
    return judged !== false && !(isPresent && isFailing(judged));
  });
  return isDone ? worst : tooManyWorlds(worst);
}

/** Whether an expression is false in every world. */
export function isFalseInWorlds(prepared: Prepared, session: Session, surroundings: Surroundings): boolean {
  if (!isOpen(session, prepared.reads.slots))
    return judgeFrame(prepared, new Frame(surroundings, new PresentSlots(session))) === false;
  let isFalse = true;
  const isDone = inWorlds(prepared, session, surroundings, (judged) => {
    isFalse = judged === false;
    return isFalse;
  });
  return isDone && isFalse;
}

/** Judges world after world, until `visit` has seen enough; false if there are too many of them. */
function inWorlds(
  prepared: Prepared,
  session: Session,
  surroundings: Surroundings,
  visit: (judged: Judged, frame: Frame, isPresent: boolean) => boolean,
): boolean {
  const slots = new SlotWorlds(session);
  let tried = 0;
  do {
    if (tried++ === MOST_WORLDS || workLeft() < LEAST_WORK) return false;
    const frame = new Frame(surroundings, slots);
    const judged = judgeFrame(prepared, frame);
    // What is read to explain a judgement belongs to the same world.
    if (!visit(judged, frame, slots.arePresent)) return true;
  } while (slots.next());
  return true;
}

function isFailing(judged: Judged): boolean {
  return judged === false || (judged instanceof Fault && judged.kind !== "awaited");
}

function rankOf(judged: Judged): number {
  if (judged === false) return RANKS.false;
  return judged instanceof Fault && judged.kind === "awaited" ? RANKS.awaited : RANKS.unjudgeable;
}

function tooManyWorlds(worst: WorldsAnswer): WorldsAnswer {
  if (RANKS[worst.kind] > RANKS.awaited) return worst;
  return { kind: "awaited", found: "too many unsettled calls that may change it", isPresent: false };
}
