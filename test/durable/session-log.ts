import { decodeRecord, firstPrev, type LogRecord } from "../../src/guard/durable/log-record.js";
import { sessionStream } from "../../src/guard/durable/streams.js";
import type { DurableStore } from "../../src/guard/durable-store.js";
import type { SessionEvent } from "../../src/guard/session/event.js";

/** What the records of a session say of one call. */
export interface RecordedCall {
  readonly callId: string;
  readonly reference: string;
  readonly amount: number;
  /** `running` until it is settled. */
  readonly end: "running" | "indeterminate" | "committed" | "violated" | "released";
}

const PAGE = 1_000;

/** All records of a session; throws unless they are one chain without a gap. */
export async function recordsOf(store: DurableStore, session: string): Promise<readonly LogRecord[]> {
  const records: LogRecord[] = [];
  for (;;) {
    const page = await store.read(sessionStream(session), records.length, PAGE);
    for (const { data } of page) {
      const record = decodeRecord(data);
      const prev = records.at(-1)?.hash ?? firstPrev(session);
      if (record.n !== records.length + 1) throw new Error(`record ${records.length + 1} says that it is ${record.n}`);
      if (record.prev !== prev) throw new Error(`record ${record.n} does not continue the one before`);
      records.push(record);
    }
    if (page.length < PAGE) return records;
  }
}

/** The events of records that are not sealed. */
export function eventsOf(records: readonly LogRecord[]): readonly SessionEvent[] {
  return records.flatMap(({ content }) => ("sealed" in content || content.event === null ? [] : [content.event]));
}

/** The calls of a session, in the order of their reservations; throws if one was reserved or settled twice. */
export function callsOf(events: readonly SessionEvent[]): readonly RecordedCall[] {
  const calls = new Map<string, RecordedCall>();
  for (const event of events) {
    if (event.kind === "reserved") {
      const { callId, args } = event;
      if (calls.has(callId)) throw new Error(`${callId} was reserved twice`);
      const { reference, amount }: { reference?: unknown; amount?: unknown } = Object(args);
      calls.set(callId, { callId, reference: String(reference), amount: Number(amount), end: "running" });
    } else if (event.kind === "settled") {
      const { callId, ending } = event;
      const call = calls.get(callId);
      if (call === undefined) throw new Error(`${callId} was settled and never reserved`);
      if (call.end !== "running" && call.end !== "indeterminate") throw new Error(`${callId} was settled twice`);
      calls.set(callId, { ...call, end: ending });
    }
  }
  return [...calls.values()];
}

/** Whether a call may have happened, as far as the records say. */
export function isCounted({ end }: RecordedCall): boolean {
  return end !== "released";
}

/** Whether nobody has said yet how the call ended. */
export function isOpen({ end }: RecordedCall): boolean {
  return end === "running" || end === "indeterminate";
}
