import { isDeepStrictEqual } from "node:util";
import type { Guard, Later } from "./adapter.js";
import { nameOf, plainVerdict, type Tried, tried, triedLater } from "./answers.js";
import { type FailingStore, isPassing, type StoreFault } from "./failing-store.js";
import type { ReferenceGuard } from "./reference-guard.js";

/** What both guards answered. */
export interface Answer {
  readonly what: string;
  readonly reference: unknown;
  readonly guard: unknown;
}

/** Something that is done to both guards. */
export interface Act<T> {
  readonly what: string;
  ours(): T;
  theirs(guard: Guard): Later<T>;
  plain(answer: T): unknown;
  /** What is remembered of the answers. */
  note(ours: T, theirs: T): void;
  /** How a permanent failure of the store is reported: by a verdict, or by an error. */
  readonly failing: "verdict" | "error";
}

const REJECTED = { error: "the store failed" };

function told<T>(act: Act<T>, answer: Tried<T>): unknown {
  return answer.ok ? act.plain(answer.given) : nameOf(answer.cause);
}

/** The same, where an error of another kind than a caller's mistake is what is expected. */
function toldOfFailure<T>(act: Act<T>, answer: Tried<T>): unknown {
  if (answer.ok || act.failing === "verdict" || answer.cause instanceof TypeError) return told(act, answer);
  return REJECTED;
}

/** The two guards, of which the real one is null where the reference runs alone. */
export class Both {
  constructor(
    readonly reference: ReferenceGuard,
    readonly guard: Guard | null,
    private readonly session: {
      /** The store of the real one; null where it never fails. */
      readonly store: FailingStore | null;
      /** Reasons of the reference's refusals, and what else is counted, in their order. */
      readonly reasons: string[];
      /** Makes both guards of the session anew, as after a crash. */
      readonly reopen: () => Promise<Both>;
    },
  ) {}

  get store(): FailingStore | null {
    return this.session.store;
  }

  get reasons(): string[] {
    return this.session.reasons;
  }

  reopen(): Promise<Both> {
    return this.session.reopen();
  }

  /** Does it to both; with a fault, the store of the guard fails meanwhile. */
  async run<T>(act: Act<T>, fault?: StoreFault): Promise<Answer> {
    // A killed session need not ask its store for anything.
    const { store } = this;
    if (fault === undefined || store === null || this.reference.isKilled()) return this.runPlainly(act);
    if (!isPassing(fault)) return this.runInVain(act, store, fault);
    store.break(fault);
    try {
      return await this.runPlainly(act);
    } finally {
      store.recover();
    }
  }

  private async runPlainly<T>(act: Act<T>): Promise<Answer> {
    const { guard } = this;
    const ours = tried(() => act.ours());
    if (!ours.ok && !(ours.cause instanceof TypeError)) throw ours.cause;
    const theirs = guard === null ? ours : await triedLater(() => act.theirs(guard), false);
    if (ours.ok && theirs.ok) act.note(ours.given, theirs.given);
    return { what: act.what, reference: told(act, ours), guard: told(act, theirs) };
  }

  /**
   * What could not be recorded did not happen: whatever would change the session fails, and leaves it as it was. What
   * changes nothing, or is refused anyway, may also be answered as if the store worked.
   */
  private async runInVain<T>(act: Act<T>, store: FailingStore, fault: StoreFault): Promise<Answer> {
    const { guard, reference } = this;
    const { given, changes } = reference.whatIf(() => tried(() => act.ours()));
    const reason = fault === "conflicts" ? "store_contended" : "store_unavailable";
    const failed = act.failing === "error" ? REJECTED : plainVerdict({ kind: "block", reason });
    const usual = told(act, given);
    const mayBeUsual = !changes || (given.ok && isRefusal(given.given));
    store.break(fault);
    const theirs = guard === null ? null : await triedLater(() => act.theirs(guard), true);
    store.recover();
    const answer = theirs === null ? failed : toldOfFailure(act, theirs);
    if (mayBeUsual && isDeepStrictEqual(answer, usual)) return { what: act.what, reference: usual, guard: answer };
    if (act.failing === "verdict") this.reasons.push(reason);
    return { what: act.what, reference: failed, guard: answer };
  }
}

function isRefusal(answer: unknown): boolean {
  return typeof answer === "object" && answer !== null && "kind" in answer && answer.kind === "block";
}
