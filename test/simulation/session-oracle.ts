import { isDeepStrictEqual } from "node:util";
import { canonicalJson } from "../../src/base/canonical-json.js";
import type { Json } from "../../src/base/json.js";
import { contentOf, decodeRecord, firstPrev, type LogRecord } from "../../src/guard/durable/log-record.js";
import { decodeHead } from "../../src/guard/durable/session-head.js";
import { decodeSnapshot, encodeSnapshot } from "../../src/guard/durable/session-snapshot.js";
import type { StreamWrite } from "../../src/guard/durable-store.js";
import type { Guard } from "../../src/guard/guard-api.js";
import type { Program } from "../../src/guard/program/program.js";
import { advance } from "../../src/guard/session/advance.js";
import type { SessionEvent } from "../../src/guard/session/event.js";
import type { PendingApproval } from "../../src/guard/session/pending-approval.js";
import { newSession, type Session } from "../../src/guard/session/session.js";
import { stateOf } from "../../src/guard/session/state.js";
import { type Booked, Books } from "./books.js";
import type { Coverage } from "./coverage.js";
import { heldBy } from "./guard-internals.js";
import { History, identitiesOf } from "./history.js";
import type { Plan } from "./plan.js";
import type { Registry } from "./registry.js";
import { unsealed } from "./seal.js";
import { type Entry, SequentialModel } from "./sequential-model.js";
import { must } from "./violation.js";

/** What a session is compared with. */
export interface OracleParts {
  readonly program: Program;
  readonly sessionId: string;
  readonly plan: Plan;
  readonly registry: Registry;
  readonly coverage: Coverage;
  /** A call was reserved, or something became of it. */
  onChanged(call: Booked): void;
}

/** Sees every record of one session at the moment it is recorded, and knows what must be true of it. */
export class SessionOracle {
  readonly books: Books;
  readonly history = new History();
  /** The state after all records, replayed from the first one. */
  readonly state: Session;
  revision = 0;
  private hash: string;
  private readonly model: SequentialModel;
  /** The revision at which each guard was compared last. */
  private readonly checked = new WeakMap<Guard, number>();
  private text: { readonly revision: number; readonly text: string } | null = null;

  constructor(private readonly parts: OracleParts) {
    const { program, sessionId, plan, registry } = parts;
    this.hash = firstPrev(sessionId);
    this.books = new Books(plan.mode === "enforce");
    this.state = newSession(program);
    this.model = new SequentialModel(program, sessionId, plan, registry);
  }

  /** An append was recorded; the same one may be told of twice. */
  recorded({ expectedRevision, records, head, snapshot }: StreamWrite): void {
    if (expectedRevision < this.revision) return;
    must(expectedRevision === this.revision, "an append has its place", () => `${expectedRevision} ${this.revision}`);
    const read = records.map((text) => this.read(text));
    const last = read.at(-1);
    const { content, guard, at } = last ?? { content: null, guard: "", at: 0 };
    const note = content === null || "sealed" in content ? null : content.note;
    const events = read.flatMap((record) => eventOf(record) ?? []);
    for (const identity of identitiesOf(events, note)) this.history.recorded(identity, this.revision);
    this.enter({ guard, at, note, events });
    this.revision += records.length;
    this.checkHead(head);
    if (snapshot !== undefined) this.checkSnapshot(snapshot);
  }

  /** Whether what a guard holds in memory is the state of the log, if it has read all of it. */
  check(guard: Guard, who: string): boolean {
    const { session, revision, isSettled } = heldBy(guard);
    if (!isSettled || revision !== this.revision) return false;
    // What was compared at this revision has not changed since.
    if (this.checked.get(guard) === revision) return true;
    this.checked.set(guard, revision);
    this.compare(session, "state equals replay", who);
    const { program } = this.parts;
    const isSame = isDeepStrictEqual(stateOf(program, session), stateOf(program, this.state));
    must(isSame, "state equals replay", () => `${who}: values with unsettled calls differ`);
    return true;
  }

  private compare(session: Session, invariant: string, who: string): void {
    const found = textOf(session);
    must(found === this.stateText, invariant, () => `${who}: ${difference(found, this.stateText)}`);
  }

  /** The state after all records as a text. */
  private get stateText(): string {
    if (this.text?.revision !== this.revision) this.text = { revision: this.revision, text: textOf(this.state) };
    return this.text.text;
  }

  private read(text: string): LogRecord {
    const record = decodeRecord(text);
    const isNext = record.prev === this.hash;
    must(isNext, "the chain verifies", () => `record ${record.n} does not continue the one before`);
    this.hash = record.hash;
    const { content } = record;
    return "sealed" in content ? { ...record, content: contentOf(unsealed(content.sealed)) } : record;
  }

  private enter(entry: Entry): void {
    const [first, ...rest] = entry.events;
    // A kill acts before it is recorded: it comes with the next append of its guard.
    const isKillFirst = first?.kind === "killed";
    if (isKillFirst) this.apply(first);
    const remaining = isKillFirst ? { ...entry, events: rest } : entry;
    this.model.check(this.state, remaining);
    for (const event of remaining.events) this.apply(event);
  }

  private apply(event: SessionEvent): void {
    const { program, registry, coverage, onChanged } = this.parts;
    coverage.hit("event", nameOf(event));
    advance(program, this.state, event);
    const changed = this.books.enter(event, event.kind === "reserved" ? registry.find(event.digest) : undefined);
    if (changed !== null) onChanged(changed);
  }

  private checkHead(text: string): void {
    const head = decodeHead(text);
    const { isKilled, toolCalls, unsettled, approval, phase } = this.state;
    const found = [head?.killed, head?.toolCalls, head?.unsettled, head?.pendingApproval, head?.phase];
    const expected = [isKilled, toolCalls, unsettled.size, approval?.id ?? null, phase];
    must(isDeepStrictEqual(found, expected), "the head is that of the state", () => `${found} instead of ${expected}`);
  }

  /** The snapshot that came with a record is the state after it, and leads to it. */
  checkSnapshot(data: string): void {
    const { program, coverage } = this.parts;
    coverage.hit("operation", "snapshot");
    const snapshot = decodeSnapshot(data);
    must(snapshot.hash === this.hash, "a snapshot has its place", () => "its hash is that of another record");
    const state = this.parts.plan.isSealed ? unsealed(snapshot.state) : JSON.parse(snapshot.state);
    this.compare(snapshot.decode(program, state), "a snapshot is the state", "the snapshot");
  }
}

function eventOf({ content }: LogRecord): SessionEvent | null {
  return "sealed" in content ? null : content.event;
}

function nameOf(event: SessionEvent): string {
  if (event.kind === "settled") return `${event.kind} ${event.ending}`;
  return event.kind === "approval_ended" ? `${event.kind} ${event.end}` : event.kind;
}

const requests = new WeakMap<PendingApproval, string>();

/** The keys of a request are in another order where it was not read from the log. */
function requestText(request: PendingApproval): string {
  const known = requests.get(request) ?? canonicalJson(request as unknown as Json);
  requests.set(request, known);
  return known;
}

/** Everything that a session consists of. */
function textOf(session: Session): string {
  const { approval, resumable, ...rest } = Object(encodeSnapshot(session));
  const waiting = [...(session.approval === null ? [] : [session.approval]), ...session.resumable.values()];
  return `${JSON.stringify(rest)} ${waiting.map(requestText).join(" ")}`;
}

/** Where two texts begin to differ. */
export function difference(found: string, expected: string): string {
  let at = 0;
  while (at < found.length && found[at] === expected[at]) at += 1;
  const from = Math.max(0, at - 60);
  return `…${found.slice(from, at + 60)}… instead of …${expected.slice(from, at + 60)}…`;
}
