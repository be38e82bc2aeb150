import type { Note } from "../../src/guard/durable/note.js";
import type { SessionEvent } from "../../src/guard/session/event.js";
import { must } from "./violation.js";

/** One operation of a caller, from its call to its answer. */
export interface Operation {
  /** By which the log knows it; operations that others may repeat have none. */
  identity: string | null;
  readonly began: number;
  ended: number | null;
  /** The answer said that it was recorded. */
  isSure: boolean;
}

/** What the records of one append say about the operation that they are of. */
export function identitiesOf(events: readonly SessionEvent[], note: Note | null): readonly string[] {
  const found: string[] = [];
  for (const event of events) {
    // What was approved was proposed before.
    if (event.kind === "reserved" && !event.isApproved) found.push(`propose ${event.digest}`);
    if (event.kind === "approval_requested") found.push(`propose ${event.request.digest}`);
    if (event.kind === "killed") found.push(`kill ${event.why}`);
    if (event.kind === "label_added") found.push(`label ${event.label}`);
    if (event.kind === "cost_recorded") found.push(`cost ${event.usd}`);
  }
  if (note?.call?.digest !== undefined) found.push(`propose ${note.call.digest}`);
  if (note?.answer?.note !== undefined) found.push(`answer ${note.answer.note}`);
  if (note?.operator !== undefined) found.push(`operator ${note.operator.why}`);
  const { settlement } = note ?? {};
  if (settlement?.accepted === true) found.push(`settle ${settlement.callId} ${settlement.outcome}`);
  return found;
}

/** The operations of a session, and where the log has them. */
export class History {
  private readonly operations: Operation[] = [];
  private readonly places = new Map<string, number>();
  /** Recorded more than once, so that it is not clear which is which. */
  private readonly ambiguous = new Set<string>();
  private readonly begun = new Set<string>();
  /** Counts what happens, so that two things never happen at the same time. */
  private moment = 0;

  begin(identity: string | null): Operation {
    this.moment += 1;
    if (identity !== null && this.begun.has(identity)) this.ambiguous.add(identity);
    if (identity !== null) this.begun.add(identity);
    const operation = { identity, began: this.moment, ended: null, isSure: false };
    this.operations.push(operation);
    return operation;
  }

  /** It was refused: if the log has such an operation, it is that of somebody else. */
  disown(operation: Operation): void {
    operation.identity = null;
  }

  end(operation: Operation, isSure: boolean): void {
    this.moment += 1;
    operation.ended = this.moment;
    operation.isSure = isSure;
  }

  recorded(identity: string, place: number): void {
    if (this.places.has(identity)) this.ambiguous.add(identity);
    else this.places.set(identity, place);
  }

  /** What was answered is in the log. A second kill need not be. */
  private checkRecorded({ identity, isSure }: Operation): void {
    if (identity === null || !isSure || this.ambiguous.has(identity) || identity.startsWith("kill ")) return;
    must(this.places.has(identity), "what was answered is recorded", () => identity);
  }

  /** An operation that ended before another began comes before it in the log. Returns how many were compared. */
  checkOrder(): number {
    for (const operation of this.operations) this.checkRecorded(operation);
    const placed = this.operations.flatMap((operation) => {
      const { identity, isSure } = operation;
      // Others may have settled the same call in the same way.
      if (identity?.startsWith("settle ") === true && !isSure) return [];
      const place = identity === null || this.ambiguous.has(identity) ? undefined : this.places.get(identity);
      return place === undefined ? [] : [{ operation, place }];
    });
    placed.sort((a, b) => a.place - b.place);
    let latest: Operation | null = null;
    for (const { operation } of placed) {
      const { ended, isSure, identity } = operation;
      const isInOrder = ended === null || !isSure || latest === null || latest.began <= ended;
      must(
        isInOrder,
        "real-time order",
        () => `${identity} ended before ${latest?.identity} began, and is recorded later`,
      );
      if (latest === null || operation.began > latest.began) latest = operation;
    }
    return placed.length;
  }
}
