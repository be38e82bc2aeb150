import { backoff } from "../../base/backoff.js";
import { isArtifactChanged, KILL_MOVED } from "../durable/log-errors.js";
import type { Program } from "../program/program.js";
import type { Session } from "./session.js";
import type { SessionLog } from "./session-log.js";
import { pause, type Wait } from "./store.js";
import { isStoreClosed, moreTelling, StoreUnavailable } from "./store-errors.js";
import { type Decide, StoredSession } from "./stored-session.js";
import { Turns } from "./turns.js";
import { type Attempt, Unanswered } from "./unanswered.js";

export type { Step } from "./stored-session.js";

/** Where a session is recorded, and how long its guard waits for that, in milliseconds. */
export interface LedgerOptions {
  readonly log: SessionLog | null;
  readonly storeTimeoutMs: number;
  readonly settleTimeoutMs: number;
  /** Ends a session that was moved to another artifact, under that one; false if it cannot. */
  readonly killMoved?: (why: string) => Promise<boolean>;
  /** How often a decision is made again after a conflict, where others write often. */
  readonly mostAttempts?: number;
}

/** How often a decision is made again after a conflict. */
const MOST_ATTEMPTS = 10;
/** Other writers try again too: waits that are entirely random keep them apart. */
const BETWEEN_ATTEMPTS = { firstMs: 1, longestMs: 100, spread: 1 };
const BETWEEN_KILLS = { ...BETWEEN_ATTEMPTS, longestMs: 10_000 };

function contended(): StoreUnavailable {
  return new StoreUnavailable("the decision could not be recorded", { reason: "store_contended" });
}

/** Makes decisions about one session, one after the other, each against the latest events. */
export class Ledger {
  private readonly stored: StoredSession;
  private readonly turns = new Turns();
  private isRecordingKill = false;
  private isClosed = false;

  constructor(
    program: Program,
    private readonly options: LedgerOptions,
  ) {
    this.stored = new StoredSession(program, options.log);
  }

  get session(): Session {
    return this.stored.session;
  }

  /** Whether calls can be judged against the session. */
  get isSound(): boolean {
    return this.stored.isSound;
  }

  /** Whether a kill is not recorded yet. */
  get hasPendingKill(): boolean {
    return this.stored.pendingKill !== null;
  }

  /** Whether the store was closed: waiting for it is in vain. */
  get isStoreClosed(): boolean {
    return this.isClosed;
  }

  /** Reads the session from its log. */
  async open(): Promise<void> {
    const wait = { ms: this.options.storeTimeoutMs, isIdle: false };
    await this.alone(wait, () => this.stored.catchUp(wait));
  }

  /** Calls the listener after somebody recorded something, where that is announced; the function that it returns ends it. */
  watch(listener: () => void): () => void {
    const changed = () => {
      this.stored.outdated();
      listener();
    };
    return this.options.log?.watch(changed) ?? (() => undefined);
  }

  /** The next decision is made by what the store says then, its time too. */
  outdated(): void {
    this.stored.outdated();
  }

  /** Runs a decision in turn, and records its events, in the store first. */
  async transact<T>(decide: Decide<T>): Promise<T> {
    return this.decided(decide);
  }

  /** The same, without a promise where nothing is stored and nobody has the turn: every call comes here. */
  decided<T>(decide: Decide<T>): T | Promise<T> {
    if (this.stored.log !== null || !this.turns.tryTake()) return this.attempts(decide, { isIdle: false });
    try {
      return this.stored.remember(decide);
    } finally {
      this.turns.pass();
    }
  }

  /** The same for the outcome of a call: after any failure of the store it is tried again while there is time. */
  async persist<T>(decide: Decide<T>): Promise<T> {
    if (this.stored.log === null) return this.decided(decide);
    const until = performance.now() + this.options.settleTimeoutMs;
    let failure: unknown;
    return this.awaiting(new Unanswered<T>(true), async (unanswered) => {
      for (let attempt = 1; ; attempt++) {
        const left = Math.max(1, until - performance.now());
        const wait = { ms: Math.min(this.options.storeTimeoutMs, left), isIdle: false };
        const done = await this.tried(() => this.attempt(decide, wait, unanswered));
        if (!(done instanceof StoreUnavailable)) return done.result;
        failure = moreTelling(failure, done);
        const ms = backoff(attempt, BETWEEN_ATTEMPTS);
        if (this.isClosed || performance.now() + ms >= until) throw failure;
        await pause({ ms, isIdle: false });
      }
    });
  }

  /**
   * Ends the session here at once, and in the store as soon as it answers. Rejects if it does not answer in time; recording then
   * goes on in the background, which does not keep the process alive. Rejects for good if the session was moved to an artifact
   * under which this guard cannot end it.
   */
  async kill(why: string): Promise<void> {
    this.stored.kill(why);
    if (!this.hasPendingKill) return;
    try {
      await this.recordKill(false);
    } catch (cause) {
      if (!isArtifactChanged(cause)) void this.recordKillLater();
      throw cause;
    }
  }

  private async recordKillLater(): Promise<void> {
    if (this.isRecordingKill) return;
    this.isRecordingKill = true;
    for (let attempt = 4; this.hasPendingKill; attempt++) {
      await pause({ ms: backoff(attempt, BETWEEN_KILLS), isIdle: true });
      // After any failure it is tried again until it is recorded.
      const failure: unknown = await this.recordKill(true).catch((cause: unknown) => cause);
      if (!isArtifactChanged(failure)) continue;
      process.emitWarning(`a kill was not recorded: ${KILL_MOVED}`);
      break;
    }
    this.isRecordingKill = false;
  }

  /** Records the kill, in a session that was moved to another artifact under that one. */
  private async recordKill(isIdle: boolean): Promise<void> {
    try {
      await this.attempts(pendingOnly, { isIdle, isUrgent: true });
    } catch (cause) {
      const { pendingKill } = this.stored;
      if (!isArtifactChanged(cause) || pendingKill === null) throw cause;
      if ((await this.options.killMoved?.(pendingKill.why)) !== true) throw cause;
      this.stored.recordedElsewhere();
    }
  }

  private async attempts<T>(decide: Decide<T>, { isIdle, isUrgent }: Omit<Wait, "ms">): Promise<T> {
    const { storeTimeoutMs, mostAttempts = MOST_ATTEMPTS } = this.options;
    const wait: Wait = { ms: storeTimeoutMs, isIdle, ...(isUrgent === undefined ? {} : { isUrgent }) };
    return this.awaiting(new Unanswered<T>(false), async (unanswered) => {
      // A slow store must not take its time once more for each conflict; pauses are not its doing.
      let spent = 0;
      for (let attempt = 1; attempt <= mostAttempts && spent < storeTimeoutMs; attempt++) {
        if (attempt > 1) await pause({ ms: backoff(attempt, BETWEEN_ATTEMPTS), isIdle });
        const begun = performance.now();
        const done = await this.attempt(decide, wait, unanswered);
        spent += performance.now() - begun;
        if (done !== null) return done.result;
      }
      throw contended();
    });
  }

  /** While this waits, it is told of its appends that are found in the log. */
  private async awaiting<T>(unanswered: Unanswered<T>, decide: (unanswered: Unanswered<T>) => Promise<T>): Promise<T> {
    const { stored } = this;
    stored.unanswered.add(unanswered);
    try {
      return await decide(unanswered);
    } catch (cause) {
      stored.giveUp(unanswered);
      throw cause;
    } finally {
      stored.unanswered.delete(unanswered);
    }
  }

  private async attempt<T>(decide: Decide<T>, wait: Wait, unanswered: Unanswered<T>): Promise<Attempt<T>> {
    // Whoever has the turn may wait for other sessions: then what is urgent would wait for them too.
    if (wait.isUrgent === true) this.stored.log?.hasten?.();
    // Another decision is waiting for the store.
    if (!(await this.turns.take(wait))) throw new StoreUnavailable("the decision could not be made");
    try {
      return await this.alone(wait, () => this.stored.attempt(decide, wait, unanswered));
    } catch (cause) {
      this.isClosed ||= isStoreClosed(cause);
      throw cause;
    } finally {
      this.turns.pass();
    }
  }

  /** Works with the log while nobody else of this process does so by what they share. */
  private alone<T>(wait: Wait, work: () => Promise<T>): Promise<T> {
    const { log } = this.stored;
    return log?.alone === undefined ? work() : log.alone(wait, work);
  }

  /** The result of an attempt, or the failure of the store; a conflict is one. */
  private async tried<T>(attempt: () => Promise<Attempt<T>>): Promise<{ readonly result: T } | StoreUnavailable> {
    try {
      return (await attempt()) ?? contended();
    } catch (cause) {
      if (cause instanceof StoreUnavailable) return cause;
      throw cause;
    }
  }
}

/** Records a pending kill, and nothing else. */
function pendingOnly(): { readonly events: readonly never[]; readonly result: undefined } {
  return { events: [], result: undefined };
}
