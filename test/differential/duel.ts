import { isDeepStrictEqual } from "node:util";
import type { Artifact } from "../../src/artifact/compiled.js";
import { type CreateGuard, startGuard } from "./adapter.js";
import type { Answer } from "./both.js";
import { FailingStore } from "./failing-store.js";
import type { Operation, Trace } from "./generate/trace.js";
import { PairedSession } from "./paired-session.js";
import type { Pack } from "./reference/model.js";
import { ReferenceGuard } from "./reference-guard.js";

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
  /** Reasons of the reference's refusals, in their order. */
  readonly reasons: readonly string[];
  readonly difference: Difference | null;
}

const STATE_EVERY = 4;
/** A killed session answers one thing for ever; a few operations show it. */
const AFTER_KILL = 4;

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
export async function duel(
  pack: Pack,
  { setting, operations }: Trace,
  real: { readonly create: CreateGuard; readonly artifact: Artifact } | null,
): Promise<Duel> {
  let now = 1_700_000_000_000;
  const options = { ...setting, clock: { now: () => now } };
  const store = new FailingStore();
  const guard = real === null ? null : await startGuard(real.create, real.artifact, { ...options, store });
  const reference = new ReferenceGuard(pack, options);
  const session = new PairedSession(reference, guard, store, (seconds) => {
    now += seconds * 1000;
  });
  let dead = 0;
  for (const [at, operation] of operations.entries()) {
    if (reference.isKilled()) dead += 1;
    if (dead > AFTER_KILL) break;
    const difference = await compareAll(session, at, operation);
    if (typeof difference === "object") return { decisions: session.decisions, reasons: session.reasons, difference };
  }
  const last = await compared(operations.length, () => session.state());
  const difference = typeof last === "object" ? last : null;
  return { decisions: session.decisions, reasons: session.reasons, difference };
}
