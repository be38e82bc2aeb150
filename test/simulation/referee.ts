import type { Booked, Books } from "./books.js";
import { READS } from "./pack.js";
import type { ToolRequest, ToolServer } from "./tool-server.js";
import { must } from "./violation.js";

/** Compares what was really done with what the logs say of it. */
export class Referee {
  /** Calls of which an operator said, too early, that they did not happen. */
  readonly deniedTooEarly = new Set<string>();
  private readonly senders = new Map<string, Set<string>>();
  private readonly holders = new Map<string, string>();

  constructor(
    private readonly tools: ToolServer,
    private readonly booksOf: (session: string) => Books,
    private readonly isEnforced: boolean,
  ) {}

  /** Somebody sends a call now. */
  sends({ session, ref, sender, tool }: ToolRequest): void {
    const booked = this.booksOf(session).byRef.get(ref) ?? [];
    must(booked.length > 0, "record first, then act", () => `${tool} ${ref} is sent and no log knows it`);
    const key = `${session} ${ref}`;
    const senders = this.senders.get(key) ?? new Set<string>();
    this.senders.set(key, senders.add(sender));
    const isOne = senders.size <= booked.length;
    must(isOne, "one caller sends a call", () => `${tool} ${ref} is sent by ${[...senders].join(", ")}`);
  }

  /** A caller was told `allow`, without `repeated`. */
  allows(session: string, callId: string, who: string): void {
    const key = `${session} ${callId}`;
    const holder = this.holders.get(key) ?? who;
    this.holders.set(key, holder);
    must(holder === who, "one caller gets the allow", () => `${callId} was given to ${holder} and to ${who}`);
    const call = this.booksOf(session).calls.get(callId);
    must(call !== undefined, "record first, then act", () => `${callId} was allowed and no log knows it`);
    must(call?.isUnanswered === false, "an unanswered call was never given out", () => callId);
  }

  /** Something was done, or something became of a call: what was done is covered. */
  check(session: string, ref: string): void {
    const done = this.tools.effects.get(`${session} ${ref}`) ?? [];
    if (done.length === 0 || READS.has(done[0]?.tool ?? "")) return;
    const books = this.booksOf(session);
    const booked = books.byRef.get(ref) ?? [];
    const covering = booked.filter((call) => books.counts(call) || this.isExcused(session, call));
    must(done.length <= covering.length, "effects are covered", () => {
      const found = booked.map(({ callId, status }) => `${callId} ${status}`).join(", ");
      return `${ref} was done ${done.length} times, the log has ${found === "" ? "nothing" : found}`;
    });
    // Where nothing is refused, a key that was used is none either.
    must(done.length <= 1 || !this.isEnforced, "a call is done once", () => `${ref} was done ${done.length} times`);
    const isHandedOut = booked.some(({ isUnanswered }) => !isUnanswered);
    must(isHandedOut, "an unanswered call was never given out", () => `${ref} was done`);
  }

  /** In the end, when everything is settled: what counts was done, and what was done counts. */
  checkSettled(session: string): void {
    const books = this.booksOf(session);
    for (const call of books.calls.values()) {
      const { ref, tool, status, callId } = call;
      must(status !== "open" && status !== "indeterminate", "everything settles", () => `${callId} is ${status}`);
      if (READS.has(tool) || this.isExcused(session, call)) continue;
      this.check(session, ref);
      const counted = (books.byRef.get(ref) ?? []).filter((each) => each.status === "counted");
      const done = this.tools.effects.get(`${session} ${ref}`) ?? [];
      const isTrue = call.isAtDispatch || !this.isEnforced || counted.length <= done.length;
      must(isTrue, "nothing is counted that was not done", () => `${callId} ${tool} ${ref}`);
    }
  }

  private isExcused(session: string, { callId, status }: Booked): boolean {
    return status === "denied" && this.deniedTooEarly.has(`${session} ${callId}`);
  }
}
