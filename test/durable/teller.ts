import type { DurableStore } from "../../src/guard/durable-store.js";
import { createGuard } from "../../src/guard/guard.js";
import type { Guard } from "../../src/guard/guard-api.js";
import type { GuardOptions } from "../../src/guard/public.js";
import { ContractViolation } from "../../src/guard/wrap/contract-violation.js";
import type { Books } from "./conservation.js";
import { type Bounds, paymentsArtifact } from "./payments.js";
import type { Effect } from "./tool-server.js";

/** The session of a teller, and its bounds. */
export const SESSION = "teller";
export const BOUNDS: Bounds = { calls: 1_000, sum: 10_000 };

/** Short, so that tests of stores that are away do not take long; results are recorded whenever the store comes back. */
const LIMITS = { storeTimeoutMs: 2_500, settleTimeoutMs: 60_000 };

/** Pays in this process, through a guard on a store, and knows what it really paid. */
export class Teller implements Books {
  readonly paid: Effect[] = [];
  private serial = 0;
  private running = 0;
  /** Awaited before each payment ends. */
  beforeAnswer: () => Promise<void> = async () => {};

  private constructor(
    readonly store: DurableStore,
    readonly guard: Guard,
  ) {}

  static async open(store: DurableStore, options: GuardOptions = {}): Promise<Teller> {
    const given = { store, sessionId: SESSION, approver: "manual", ...LIMITS, ...options } as const;
    return new Teller(store, await createGuard(paymentsArtifact(BOUNDS), given));
  }

  /** One wrapped call: `paid`, the reason of the refusal, or the name of the error. */
  async pay(amount = 1): Promise<string> {
    this.serial += 1;
    const reference = `payment-${this.serial}`;
    this.running += 1;
    try {
      await this.guard.wrap(() => this.send(reference, amount))("pay", { reference, amount });
      return "paid";
    } catch (cause) {
      if (cause instanceof ContractViolation) return cause.verdict.reason;
      return cause instanceof Error ? cause.name : "unknown";
    } finally {
      this.running -= 1;
    }
  }

  /** What `expectConserved` checks. */
  books() {
    return { store: this.store, artifact: paymentsArtifact(BOUNDS), bounds: BOUNDS, session: SESSION, server: this };
  }

  async quiet(): Promise<void> {
    if (this.running > 0) throw new Error("a payment is under way");
  }

  async effects(): Promise<readonly Effect[]> {
    return this.paid;
  }

  async did(reference: string): Promise<"happened" | "did_not_happen"> {
    return this.paid.some((effect) => effect.reference === reference) ? "happened" : "did_not_happen";
  }

  private async send(reference: string, amount: number): Promise<object> {
    this.paid.push({ reference, amount });
    await this.beforeAnswer();
    return {};
  }
}
