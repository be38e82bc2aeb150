import { describe, expect, it } from "vitest";
import type { Guard } from "../../src/guard/guard-api.js";
import type { GuardOptions } from "../../src/guard/public.js";
import { FaultyStore } from "../support/faulty-store.js";
import { fateOf, payGuard, rejectionOf } from "../support/guard-calls.js";

const RETRIES = "retries: { max_attempts: 2, retry_on: ['429'] }";
const CHECKPOINT = "checkpoint: { when: always, timeout_seconds: 60 }";
const GATE = "policy: { label_gates: [{ when_label: hot, deny_tools: [pay], reason: Too hot }] }";
/** More than any of these calls takes before it is sent. */
const MOMENTS = 70;

/** Lets something happen so many turns of the microtask queue from now. */
async function after(moments: number, happen: () => unknown): Promise<void> {
  for (let moment = 0; moment < moments; moment++) await null;
  happen();
}

const KINDS: readonly (readonly [string, string, boolean])[] = [
  ["a call", "", false],
  ["a call with a store", "", true],
  ["an approved call", CHECKPOINT, false],
  ["an approved call with a store", CHECKPOINT, true],
];

interface Life {
  readonly guard: Guard;
  /** Whether what came, came before the call was sent; and what of it was sent after that. */
  readonly isBefore: boolean;
  readonly sentAfter: number;
}

/** A call during whose life something happens. */
async function life(
  [, contract, isStored]: (typeof KINDS)[number],
  moment: number,
  happen: (guard: Guard, caller: AbortController) => unknown,
): Promise<Life> {
  const options: GuardOptions = { approver: async () => ({ decision: "approve", by: "ann" }) };
  const guard = await payGuard(contract, isStored ? { ...options, store: new FaultyStore() } : options, GATE);
  const caller = new AbortController();
  let sent = 0;
  let sentBefore: number | null = null;
  const calling = guard
    .wrap(async () => {
      sent += 1;
      return {};
    })("pay", { amount: 1 }, { signal: caller.signal })
    .catch((cause: unknown) => cause);
  let happening: unknown;
  await after(moment, () => {
    sentBefore = sent;
    happening = happen(guard, caller);
  });
  await happening;
  await calling;
  // What was reserved after its caller gave up is given back a moment later.
  await new Promise((resolve) => setTimeout(resolve, 5));
  return { guard, isBefore: sentBefore === 0, sentAfter: sent - (sentBefore ?? 0) };
}

describe.each(KINDS)("%s", (...kind) => {
  it("is not sent after a kill, whenever that comes, and is not counted then", async () => {
    for (let moment = 0; moment < MOMENTS; moment++) {
      const { guard, isBefore, sentAfter } = await life(kind, moment, (killed) => killed.kill("enough"));
      const fate = isBefore ? "released" : "committed";
      expect({ moment, sentAfter, fate: fateOf(guard) }).toEqual({ moment, sentAfter: 0, fate });
    }
  });

  it("is not sent once its signal has aborted, whenever that comes, and is not counted then", async () => {
    for (let moment = 0; moment < MOMENTS; moment++) {
      const { guard, isBefore, sentAfter } = await life(kind, moment, (_, caller) => caller.abort());
      expect({ moment, sentAfter }).toEqual({ moment, sentAfter: 0 });
      if (isBefore) expect({ moment, fate: fateOf(guard) }).toEqual({ moment, fate: "released" });
    }
  });
});

describe("a call without a store", () => {
  it("is not sent once a label gates its tool, whenever that comes", async () => {
    for (let moment = 0; moment < MOMENTS; moment++) {
      const { sentAfter } = await life(["", "", false], moment, (guard) => guard.addLabel("hot"));
      expect({ moment, sentAfter }).toEqual({ moment, sentAfter: 0 });
    }
  });
});

describe("the next attempt of a call", () => {
  const refused = () => Object.assign(new Error("429"), { status: 429, retryAfter: 0 });

  /** A call whose first attempt is refused; something happens when the store is read before the second. */
  async function retried(whileRead: (guard: Guard, caller: AbortController) => Promise<unknown>) {
    const store = new FaultyStore();
    const guard = await payGuard(RETRIES, { store });
    const caller = new AbortController();
    let sent = 0;
    const call = guard.wrap(async () => {
      sent += 1;
      store.faults.load = async (real) => {
        const loaded = await real();
        store.faults = {};
        await whileRead(guard, caller);
        return loaded;
      };
      throw refused();
    });
    const cause = await rejectionOf(call("pay", { amount: 1 }, { signal: caller.signal }));
    return { cause, sent, fate: fateOf(guard) };
  }

  it("is not sent where a kill comes while the store is read", async () => {
    const { cause, sent, fate } = await retried(async (guard) => void guard.kill("enough"));
    expect(cause).toMatchObject({ verdict: { reason: "session_killed" } });
    expect({ sent, fate }).toEqual({ sent: 1, fate: "released" });
  });

  it("is not sent where the signal aborts while the store is read, or just after; what was refused is not counted", async () => {
    for (let moment = -1; moment < MOMENTS; moment++) {
      const { cause, sent, fate } = await retried(async (_, caller) => {
        const aborting = after(moment, () => caller.abort(new Error("changed my mind")));
        if (moment === -1) await aborting;
      });
      if (moment < 5) expect({ moment, cause }).toMatchObject({ moment, cause: { message: "changed my mind" } });
      if (sent === 1) expect({ moment, fate }).toEqual({ moment, fate: "released" });
    }
  });
});
