import { randomUUID } from "node:crypto";
import { backoff } from "../../base/backoff.js";
import type { AppendEnd } from "../../guard/durable/companion.js";
import type { Note } from "../../guard/durable/note.js";
import { RecordChain } from "../../guard/durable/record-chain.js";
import type { ChainParts, EncodedStep } from "../../guard/durable/stream-form.js";
import type { StreamWrite } from "../../guard/durable-store.js";
import { repeatedInTime } from "../../guard/session/append-in-time.js";
import { answerOf, pause, type Wait } from "../../guard/session/store.js";
import { BrokenSession, StoreUnavailable } from "../../guard/session/store-errors.js";
import { Turns } from "../../guard/session/turns.js";
import type { WorkflowRules } from "../rules/workflow-rules.js";
import { advanceWorkflow } from "../state/advance-workflow.js";
import type { WorkflowEvent } from "../state/workflow-event.js";
import { newWorkflow, type WorkflowState, workflowAhead } from "../state/workflow-state.js";
import { type Persistence, USUAL } from "./persistence.js";
import { isEnding, StatusWatch } from "./status-watch.js";
import { type WorkflowIdentity, workflowForm } from "./workflow-form.js";

/** What a decision about a workflow records. */
export interface WorkflowStep<T> {
  readonly events: readonly WorkflowEvent[];
  readonly result: T;
  readonly note?: Note;
  /** What is recorded in another stream at the same time. */
  readonly beside?: { readonly write: StreamWrite; recorded(appendId: string): void };
}

type DecideWorkflow<T> = (state: WorkflowState, wait: Wait) => Promise<WorkflowStep<T> | null>;

/** A step that was recorded, and by which append; null where there was nothing to record. */
interface Made<T> {
  readonly step: WorkflowStep<T>;
  readonly appendId: string | null;
}

/**
 * The appends of a decision whose caller still waits, as far as they may turn out to be recorded: those without an answer, and
 * those that were refused, since a request that was sent again may arrive after that.
 */
class SentAppends<T> {
  readonly steps = new Map<string, WorkflowStep<T>>();
  found: Made<T> | null = null;

  recorded(appendId: string): void {
    const step = this.steps.get(appendId);
    if (step !== undefined) this.found ??= { step, appendId };
  }
}

/** How a coordinator is made. */
export interface CoordinatorParts extends ChainParts {
  readonly rules: WorkflowRules;
  readonly identity: WorkflowIdentity;
  readonly storeTimeoutMs: number;
}

const WRITE = "the workflow could not be recorded";

/**
 * One workflow in memory and in its log, shared by all its sessions in this process. They take turns: between reading the state and
 * recording what follows from it nobody else decides.
 */
export class Coordinator {
  private current = newWorkflow();
  /** The log may have further records, so it is read before the next decision. */
  private isStale = true;
  /** It was read in this turn. */
  private isRead = false;
  /** Some events could not be applied: nothing is decided until it was read again from its start. */
  private isBroken = false;
  private pending: { readonly encoded: EncodedStep; readonly events: readonly WorkflowEvent[] } | null = null;
  /** Told of every append of its own that is found in the log. */
  private readonly unanswered = new Set<Pick<SentAppends<unknown>, "recorded">>();
  private readonly turns = new Turns();
  private readonly chain: RecordChain<WorkflowEvent, WorkflowState>;
  private readonly watch: StatusWatch;

  constructor(private readonly parts: CoordinatorParts) {
    this.chain = new RecordChain(parts, workflowForm(parts.identity));
    const look = () => {
      const wait = { ms: parts.storeTimeoutMs, isIdle: true };
      return this.alone(wait, () => this.catchUp(wait));
    };
    this.watch = new StatusWatch((listener) => this.chain.watch(listener), look);
  }

  get state(): WorkflowState {
    return this.current;
  }

  /** Whether anything was recorded, as far as was read. */
  get isEmpty(): boolean {
    return this.chain.revision === 0;
  }

  /** How many records the state is made of. */
  get revision(): number {
    return this.chain.revision;
  }

  get identity(): WorkflowIdentity {
    return this.parts.identity;
  }

  /** Reads what was recorded. */
  async open({ isUrgent } = USUAL): Promise<void> {
    const wait = { ms: this.parts.storeTimeoutMs, isIdle: false, isUrgent };
    await this.alone(wait, () => this.catchUp(wait));
  }

  /** Runs work while nobody else of this process decides; the log is read first where it may have more. */
  async alone<T>(wait: Wait, work: () => Promise<T>, who?: object): Promise<T> {
    if (!(await this.turns.take(wait, who))) throw new StoreUnavailable("the decision could not be made");
    this.isRead = false;
    try {
      if (this.isStale || this.isBroken) await this.catchUp(wait);
      return await work();
    } finally {
      this.turns.pass();
    }
  }

  /** Work that waits for its turn comes before that of others, except for what is urgent too. */
  hasten(who: object): void {
    this.turns.hasten(who);
  }

  /** Applies what the log has beyond the known, once in a turn unless it is to be read again; true if there was anything. */
  async catchUp(wait: Wait, isAgain = false): Promise<boolean> {
    return this.isRead && !isAgain ? false : this.read(wait);
  }

  /** Makes a decision and records it, again after conflicts. A result that records nothing is based on the latest state too. */
  async transact<T>(decide: DecideWorkflow<T>, persistence: Persistence = USUAL): Promise<T> {
    const { mostAttempts, mostMs, between, isUrgent } = persistence;
    const wait = { ms: this.parts.storeTimeoutMs, isIdle: false, isUrgent };
    // A slow store must not take its time once more for each conflict; pauses are not its doing.
    let left = mostMs ?? wait.ms;
    const sent = new SentAppends<T>();
    this.unanswered.add(sent);
    try {
      for (let attempt = 1; attempt <= mostAttempts && left > 0; attempt++) {
        if (attempt > 1) await pause({ ms: backoff(attempt, between), isIdle: false });
        const begun = performance.now();
        const done = await this.alone(wait, () => this.attempt(decide, sent, wait));
        left -= performance.now() - begun;
        if (done !== null) {
          const { step, appendId } = done;
          if (appendId !== null) step.beside?.recorded(appendId);
          return step.result;
        }
      }
      throw new StoreUnavailable(WRITE, { reason: "store_contended" });
    } finally {
      this.unanswered.delete(sent);
    }
  }

  /** Events in the form of the store, to be recorded by an append of somebody who has the turn. */
  async encoded(
    events: readonly WorkflowEvent[],
    {
      id: appendId,
      at = null,
      note = null,
    }: { readonly id: string; readonly at?: number | null; readonly note?: Note | null },
    wait: Wait,
  ): Promise<StreamWrite> {
    const { id, name } = this.parts.identity;
    const first: Note | null = this.isEmpty ? { ...note, workflow: { id, name } } : note;
    const after = workflowAhead(this.current);
    for (const event of events) advanceWorkflow(this.parts.rules, after, event);
    const encoded = await this.chain.encoded({ id: appendId, events, note: first, at, after }, wait);
    this.pending = { encoded, events };
    return encoded.write;
  }

  /** The append with what was encoded last has ended. */
  ended(end: AppendEnd): void {
    const { pending } = this;
    if (end === "appended") {
      this.pending = null;
      if (pending === null) return;
      this.chain.appended(pending.encoded);
      this.apply(this.current, pending.events);
      this.isStale = false;
      if (pending.events.some(isEnding)) this.watch.tell(this.current);
      return;
    }
    if (end === "conflict") {
      if (pending !== null) this.chain.refused(pending.encoded.id);
      this.pending = null;
    }
    this.isStale = true;
  }

  /** Calls the listener when a session ends or is asked to, whoever records that; the function that it returns ends it. */
  watchSession(session: string, listener: () => void): () => void {
    return this.watch.addFollowing(this.current, session, listener);
  }

  /** The same as far as this process learns of it anyway. */
  onStatus(session: string, listener: () => void, usedBy?: object): void {
    this.watch.add(this.current, { session, listener, usedBy });
  }

  private async attempt<T>(decide: DecideWorkflow<T>, sent: SentAppends<T>, wait: Wait): Promise<Made<T> | null> {
    if (sent.found !== null) return sent.found;
    const step = await decide(this.current, wait);
    if (step === null) return null;
    const { events, note = null, beside } = step;
    if (events.length === 0) return (await this.catchUp(wait)) ? null : { step, appendId: null };
    const id = randomUUID();
    sent.steps.set(id, step);
    const write = await this.encoded(events, { id, note }, wait);
    const writes = beside === undefined ? [write] : [write, beside.write];
    return (await repeatedInTime((left) => this.send(id, writes, left), wait)) ? { step, appendId: id } : null;
  }

  private async send(id: string, writes: readonly StreamWrite[], wait: Wait): Promise<boolean> {
    const { store, clock } = this.parts;
    this.chain.sending(id);
    try {
      const answer = await answerOf(WRITE, () => store.append(id, writes), wait);
      const { kind, now }: { readonly kind?: unknown; readonly now?: unknown } = Object(answer);
      if (kind !== "appended" && kind !== "conflict") throw new StoreUnavailable(WRITE);
      clock.heard(now);
      this.ended(kind);
      return kind === "appended";
    } catch (cause) {
      this.ended("unknown");
      throw cause;
    }
  }

  private async read(wait: Wait): Promise<boolean> {
    const { base, entries } = await this.chain.load(this.isBroken ? "start" : "known", wait);
    const state = base ?? (this.isBroken ? newWorkflow() : this.current);
    this.isBroken = false;
    this.current = state;
    this.pending = null;
    const events = entries.flatMap(({ event }) => event ?? []);
    this.apply(state, events);
    for (const { appendId } of entries) {
      if (appendId !== null) for (const sent of this.unanswered) sent.recorded(appendId);
    }
    this.isStale = false;
    this.isRead = true;
    if (base !== null || events.some(isEnding)) this.watch.tell(state);
    return base !== null || entries.length > 0;
  }

  private apply(state: WorkflowState, events: readonly WorkflowEvent[]): void {
    try {
      for (const event of events) advanceWorkflow(this.parts.rules, state, event);
    } catch (cause) {
      // Some of them were applied: they must neither count without the others nor be applied again.
      this.isBroken = true;
      throw new BrokenSession(cause);
    }
  }
}
