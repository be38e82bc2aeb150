import { createGuard } from "../../src/guard/guard.js";
import type { Guard } from "../../src/guard/guard-api.js";
import type { BlockVerdict, GuardOptions, Verdict } from "../../src/guard/public.js";
import { ExecutedButNotRecorded, isStoreUnavailable } from "../../src/guard/session/store-errors.js";
import { ContractViolation } from "../../src/guard/wrap/contract-violation.js";
import { Process } from "./scheduler.js";
import { openedText, sealedText } from "./seal.js";
import { REQUESTER } from "./sequential-model.js";
import { Broken, must } from "./violation.js";
import type { Slot, World } from "./world.js";

/** Errors that no caller should ever see. */
const BUGS: ReadonlySet<string> = new Set([
  "TypeError",
  "RangeError",
  "ReferenceError",
  "InvariantError",
  "BrokenSession",
]);

/** Found where another process settled a call before it was sent. */
const SETTLED_BY_OTHERS = "one that another process settled";

/** How an operation ended: with an answer, or with an error that is part of the deal. */
export type Ended<T> = { readonly value: T } | { readonly thrown: unknown };

/** How things stood when an operation began. */
interface Before {
  readonly slight: number;
  readonly began: number;
}

/** A process with a guard of its own. */
export class Actor {
  readonly process: Process;
  /** Null until it is made. */
  guard: Guard | null = null;

  constructor(
    readonly world: World,
    readonly slot: Slot,
    readonly name: string,
  ) {
    this.process = new Process(name);
  }

  /** Makes the guard; it is tried until the store answers. */
  async open(options: GuardOptions): Promise<Guard> {
    const { world, slot } = this;
    const { plan, network, scheduler } = world;
    const sealing = plan.isSealed ? { seal: sealedText, open: openedText } : {};
    for (;;) {
      const made = await this.operation("createGuard", null, () =>
        createGuard(world.artifact, {
          ...{ store: network.storeOf(this.process), sessionId: slot.sessionId, env: {}, requester: REQUESTER },
          ...{ mode: plan.mode, storeArguments: plan.storeArguments, approver: "manual", ...sealing },
          ...{ approvals: { quorum: plan.quorum }, storeTimeoutMs: plan.storeTimeoutMs },
          ...{ settleTimeoutMs: plan.settleTimeoutMs, ...options },
        }),
      );
      if ("value" in made) {
        this.guard = made.value;
        made.value.on("settled", () => world.coverage.hit("heard", "settled"));
        made.value.on("killed", () => world.coverage.hit("heard", "killed"));
        return made.value;
      }
      await scheduler.sleep(50 + scheduler.random.below(500));
    }
  }

  /** One operation of the API, from its call to its answer. */
  async operation<T>(kind: string, identity: string | null, run: () => Promise<T> | T): Promise<Ended<T>> {
    const { world, slot, process } = this;
    const { history } = slot.oracle;
    const { scheduler } = world;
    scheduler.say?.(() => `${this.name} begins ${kind} ${identity ?? ""}`);
    const begun = history.begin(identity);
    const before = { slight: world.faults.troubleOf(process).slight, began: world.scheduler.now };
    try {
      const value = await run();
      scheduler.say?.(() => `${this.name} ends ${kind} ${identity ?? ""} ${shown(value)}`);
      history.end(begun, !isFault(value));
      if (isUnrecorded(value)) history.disown(begun);
      world.coverage.hit("operation", kind);
      if (isFault(value)) this.checkExcuse(before, kind);
      return { value };
    } catch (thrown) {
      scheduler.say?.(() => `${this.name} fails ${kind} ${identity ?? ""} ${thrown}`);
      history.end(begun, false);
      this.judgeError(kind, thrown, before);
      return { thrown };
    }
  }

  /** Notes a verdict; a caller that is told `allow` is the only one. */
  judged(verdict: Verdict, who: string): Verdict {
    const { coverage, referee } = this.world;
    const marked = verdict.kind !== "block" && verdict.repeated === true ? " again" : "";
    coverage.hit("verdict", `${verdict.kind}${marked}`);
    if (verdict.kind === "block") this.refused(verdict);
    if (verdict.kind === "allow" && verdict.would !== undefined) coverage.hit("verdict", "would");
    if (verdict.kind === "allow" && verdict.repeated !== true) referee.allows(this.slot.sessionId, verdict.callId, who);
    return verdict;
  }

  private refused({ reason, found }: BlockVerdict): void {
    this.world.coverage.hit("reason", reason);
    const isBug = reason === "guard_fault" && found !== SETTLED_BY_OTHERS;
    must(!isBug, "the guard has no faults", () => `${reason}: ${found}`);
    must(reason !== "artifact_changed", "the guard has no faults", () => reason);
  }

  private judgeError(kind: string, thrown: unknown, before: Before): void {
    if (thrown instanceof Broken) throw thrown;
    if (thrown instanceof ContractViolation) {
      this.refused(thrown.verdict);
      if (isFault(thrown.verdict)) this.checkExcuse(before, kind);
      return;
    }
    const name = thrown instanceof Error ? thrown.name : "no error";
    const cause = thrown instanceof Error ? (thrown.stack ?? thrown.message) : "";
    must(!BUGS.has(name), "the guard has no faults", () => `${kind}: ${cause}`);
    this.world.coverage.hit("error", name);
    const isUnrecorded = thrown instanceof ExecutedButNotRecorded && !this.world.plan.isCrowd;
    if (isUnrecorded || (isStoreUnavailable(thrown) && isFault(thrown))) this.checkExcuse(before, kind);
  }

  /** A store that answers is used: one quick error does not stop a guard. */
  private checkExcuse(before: Before, kind: string): void {
    const { faults, plan } = this.world;
    // Whoever makes a guard tries again.
    if (kind === "createGuard") return;
    const { slight, graveAt } = faults.troubleOf(this.process);
    // Another decision of the same guard may have waited for the store when this one began: to read, to catch up and to write.
    const hasExcuse = graveAt >= before.began - 3 * plan.storeTimeoutMs || slight > before.slight + 1;
    must(hasExcuse, "a store that answers is used", () => `${kind} said that it is unavailable`);
  }
}

function isFault(value: unknown): boolean {
  const { reason }: { readonly reason?: unknown } = Object(value);
  return reason === "store_unavailable";
}

/** What was refused is not in the log, or is there by somebody else; after a kill nothing has to be. */
function isUnrecorded(value: unknown): boolean {
  const { accepted, reason }: { readonly accepted?: unknown; readonly reason?: unknown } = Object(value);
  return accepted === false || reason === "session_killed" || reason === "store_contended";
}

function shown(value: unknown): string {
  const { kind, reason, callId, accepted }: Record<string, unknown> = { ...Object(value) };
  return JSON.stringify({ kind, reason, callId, accepted });
}
