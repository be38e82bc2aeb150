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

/** The two guards with the store of the real one, which is null where the reference runs alone. */
export class Both {
  /** Reasons of the reference's refusals, in their order. */
  readonly reasons: string[] = [];

  constructor(
    readonly reference: ReferenceGuard,
    readonly guard: Guard | null,
    readonly store: FailingStore,
  ) {}

  /** Does it to both; with a fault, the store of the guard fails meanwhile. */
  async run<T>(act: Act<T>, fault?: StoreFault): Promise<Answer> {
    // A killed session need not ask its store for anything.
    if (fault === undefined || this.reference.isKilled()) return this.runPlainly(act);
    if (!isPassing(fault)) return this.runInVain(act, fault);
    this.store.break(fault);
    try {
      return await this.runPlainly(act);
    } finally {
      this.store.recover();
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
  private async runInVain<T>(act: Act<T>, fault: StoreFault): Promise<Answer> {
    const { guard, reference, store } = this;
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
