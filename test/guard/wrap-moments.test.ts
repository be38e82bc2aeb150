import { describe, expect, it } from "vitest";
import type { Guard } from "../../src/guard/guard-api.js";
import type { GuardOptions } from "../../src/guard/public.js";
import { FaultyStore } from "../support/faulty-store.js";
import { fateOf, payGuard, rejectionOf, violationOf } from "../support/guard-calls.js";

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

describe("a refusal before a further attempt", () => {
  const RETRIED = "retries: { max_attempts: 2, retry_on: ['429', '503'] }\ntimeouts: { total_ms: 20000 }";

  /** A call whose first attempt ends with a status; before the second the store fails, or the session is killed. */
  async function refusedAfter(status: number, meanwhile: "store" | "kill") {
    const store = new FaultyStore();
    const guard = await payGuard(RETRIED, { store });
    const call = guard.wrap(async () => {
      store.faults.load = async (real) => {
        store.faults = {};
        if (meanwhile === "store") throw new Error("down");
        void guard.kill("enough");
        return real();
      };
      throw Object.assign(new Error(`${status}`), { status, retryAfter: 0 });
    });
    const { verdict, message } = await violationOf(call("pay", { amount: 1 }));
    return { reason: verdict.reason, hint: verdict.hint, message, fate: fateOf(guard) };
  }

  it.each(["store", "kill"] as const)("says that an earlier one may have had its effect: %s", async (meanwhile) => {
    const { reason, hint, message, fate } = await refusedAfter(503, meanwhile);
    expect(reason).toBe(meanwhile === "store" ? "store_unavailable" : "session_killed");
    expect(fate).toBe("indeterminate");
    const told = "an earlier attempt was sent and may have had its effect: find out before making the call again";
    expect(hint).toContain(told);
    expect(message).toContain(told);
    expect(hint).not.toContain("nothing was decided");
    if (meanwhile === "kill") expect(hint).toContain("the session is over");
  });

  it.each(["store", "kill"] as const)("says that an earlier one is known to have had none: %s", async (meanwhile) => {
    const { hint, message } = await refusedAfter(429, meanwhile);
    const told = "an earlier attempt was sent and failed without an effect; there is no further one";
    expect(hint).toContain(told);
    expect(message).toContain(told);
  });

  it("says nothing of attempts where there was none", async () => {
    const guard = await payGuard(RETRIED);
    await guard.kill("enough");
    const { verdict } = await violationOf(guard.wrap(async () => ({}))("pay", { amount: 1 }));
    expect(verdict.hint).not.toContain("attempt");
  });
});
