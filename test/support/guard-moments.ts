import type { Json } from "../../src/base/json.js";
import type { SessionEvent } from "../../src/guard/session/event.js";

/** A call of a log, with what became of it by then. */
export interface LoggedCall {
  readonly id: string;
  readonly tool: string;
  readonly args: Json;
}

/** How a session stood when a call was let through. */
export interface Moment {
  readonly call: LoggedCall;
  /** Let through before and not known to have come to nothing. */
  readonly counted: readonly LoggedCall[];
  /** Committed, in the order of their commits. */
  readonly committed: readonly LoggedCall[];
  /** Reserved, and nobody knows yet. */
  readonly pending: readonly LoggedCall[];
}

/** Every moment at which a call was let through, read from the events alone. */
export function momentsOf(log: readonly SessionEvent[]): readonly Moment[] {
  const moments: Moment[] = [];
  let counted: LoggedCall[] = [];
  let pending: LoggedCall[] = [];
  const committed: LoggedCall[] = [];
  for (const event of log) {
    if (event.kind === "reserved") {
      const call = { id: event.callId, tool: event.tool, args: event.args };
      moments.push({ call, counted, committed: [...committed], pending });
      counted = [...counted, call];
      pending = [...pending, call];
    }
    if (event.kind !== "settled" || event.ending === "indeterminate") continue;
    const call = pending.find(({ id }) => id === event.callId);
    pending = pending.filter((other) => other !== call);
    if (event.ending === "released") counted = counted.filter((other) => other !== call);
    if (event.ending === "committed" && call !== undefined) committed.push(call);
  }
  return moments;
}
