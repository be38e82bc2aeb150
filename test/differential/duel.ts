import { isDeepStrictEqual } from "node:util";
import type { Answer } from "./both.js";
import type { Operation, Trace } from "./generate/trace.js";
import { openGuards, type Real } from "./open-guards.js";
import { PairedSession } from "./paired-session.js";
import type { Pack } from "./reference/model.js";

/** Where the two guards gave different answers. */
export interface Difference {
  readonly at: number;
  readonly what: string;
  readonly reference: unknown;
  readonly guard: unknown;
}

/** One session of both guards. */
export interface Duel {
  readonly decisions: number;
  /** Reasons of the reference's refusals, and what else is counted, in their order. */
  readonly reasons: readonly string[];
  readonly difference: Difference | null;
}

const STATE_EVERY = 4;
/** A killed session answers one thing for ever; a few operations show it. */
const AFTER_KILL = 4;

/** Counted where the guard made a call wait because its worlds are too many. */
const BOUNDED = "too many worlds";

type Comparison = "same" | "skipped" | Difference;

async function compared(at: number, ask: () => Promise<Answer | null>): Promise<Comparison> {
  try {
    const answer = await ask();
    if (answer === null) return "skipped";
    return isDeepStrictEqual(answer.reference, answer.guard) ? "same" : { at, ...answer };
  } catch (cause) {
    return { at, what: "exception", reference: null, guard: cause };
  }
}

async function compareAll(session: PairedSession, at: number, operation: Operation): Promise<Comparison> {
  const answer = await compared(at, () => session.perform(operation));
  if (answer !== "same") return answer;
  const visible = await compared(at, () => session.visibility());
  if (visible !== "same" || at % STATE_EVERY !== 0) return visible;
  return compared(at, () => session.state());
}

/** Plays a trace against both guards and compares every answer. */
export async function duel(pack: Pack, { setting, operations }: Trace, real: Real): Promise<Duel> {
  let now = 1_700_000_000_000;
  const guards = await openGuards(pack, { setting, clock: { now: () => now }, real });
  const session = new PairedSession(guards, (seconds) => {
    now += seconds * 1000;
  });
  let dead = 0;
  for (const [at, operation] of operations.entries()) {
    if (session.isKilled()) dead += 1;
    if (dead > AFTER_KILL) break;
    const difference = await compareAll(session, at, operation);
    if (session.isBounded)
      return { decisions: session.decisions, reasons: [...session.reasons, BOUNDED], difference: null };
    if (typeof difference === "object") return { decisions: session.decisions, reasons: session.reasons, difference };
  }
  const last = await compared(operations.length, () => session.state());
  const difference = typeof last === "object" ? last : null;
  return { decisions: session.decisions, reasons: session.reasons, difference };
}
