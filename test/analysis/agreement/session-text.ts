import type { ExactSum } from "../../../src/base/exact-sum.js";
import type { Call } from "../../../src/guard/session/call.js";
import { UNKNOWN } from "../../../src/guard/session/call.js";
import type { Session, Write, Writes } from "../../../src/guard/session/session.js";

function sorted<T>(entries: Iterable<readonly [string, T]>): readonly (readonly [string, T])[] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

function sumText(sum: ExactSum): number | string {
  return typeof sum === "number" ? sum : `${sum.digits}e${sum.exponent}`;
}

function writeText({ value, openCall, awaited }: Write): unknown {
  return [value === UNKNOWN ? "unknown" : [value], openCall, awaited?.path.text];
}

function writesText(writes: Writes | null): readonly unknown[] {
  return writes === null ? [] : [...writesText(writes.before), writeText(writes.last)];
}

function callText({ id, tool, args, step, status, blocksBefore, isSuperseded, priors }: Call): unknown {
  return [id, tool.name, args, step, status, blocksBefore, isSuperseded, priors];
}

/** Everything that a session holds, spelled the same for equal sessions. */
export function sessionText(session: Session): string {
  const { slots, priors, aggregates, references, unsettled, labels, callsOf, answered, cost, ...others } = session;
  // What open calls may change follows from the calls.
  const { open: _, resumable, ...plain } = others;
  return JSON.stringify([
    plain,
    sumText(cost),
    [...labels].sort(),
    sorted(callsOf),
    sorted(slots).map(([slot, writes]) => [slot, writesText(writes)]),
    priors.map(sorted),
    aggregates.map(({ total, raise, lower, extreme, distinct }) => [
      [total, raise, lower].map(sumText),
      extreme,
      [...distinct].sort(),
    ]),
    references.map((names) => sorted(names).map(([name, writes]) => [name, writesText(writes)])),
    Array.from(unsettled, callText),
    sorted(answered),
    sorted(resumable),
  ]);
}
