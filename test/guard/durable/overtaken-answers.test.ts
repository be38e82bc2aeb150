import { describe, expect, it } from "vitest";
import type { DurableStore } from "../../../src/guard/durable-store.js";
import type { Guard } from "../../../src/guard/guard-api.js";
import { approvalIdOf, memory, pay, paymentGuard, recordsOf } from "../../support/durable-guard.js";
import { violationOf } from "../../support/guard-calls.js";
import { told } from "../../support/guard-steps.js";
import { LossyStore } from "../../support/lossy-store.js";

const ANN = { by: "ann" };
const BOB = { by: "bob" };

/** A store whose next append is overtaken by what another worker does. */
class OvertakenStore extends LossyStore {
  overtake: (() => Promise<unknown>) | null = null;

  override async append(...given: Parameters<DurableStore["append"]>) {
    const { overtake } = this;
    this.overtake = null;
    await overtake?.();
    return super.append(...given);
  }
}

async function overtaken() {
  const sound = await memory();
  return { sound, store: new OvertakenStore(sound), other: await paymentGuard(sound) };
}

function firstRequest(guard: Guard): Promise<string> {
  return new Promise((resolve) => {
    guard.on("approval_requested", ({ approvalId }) => resolve(approvalId));
  });
}

describe("a call that was approved, while another worker asks for an approval of its own", () => {
  /** A call of `one` that `other` approves and at once asks for another approval, as `one` reserves. */
  async function waiting(start: (one: Guard) => Promise<unknown>, approver: "manual" | (() => Promise<never>)) {
    const { sound, store, other } = await overtaken();
    const one = await paymentGuard(store, { approver });
    const asked = firstRequest(one);
    const calling = start(one);
    const id = await asked;
    const second = new Promise<string>((resolve) => {
      store.overtake = async () => resolve(approvalIdOf(await other.propose(pay(110))));
    });
    await other.approve(id, ANN);
    return { one, other, sound, calling, id, second: await second };
  }
  const wrapped = (one: Guard) => one.wrap(async () => "sent")("pay", pay(120).args);

  it("is sent once that one is answered", async () => {
    const { other, sound, calling, second } = await waiting(wrapped, "manual");
    const before = (await recordsOf(sound)).length;
    await new Promise((resolve) => setTimeout(resolve, 600));
    // Waiting is no decision.
    expect(await recordsOf(sound)).toHaveLength(before);
    await other.deny(second, BOB);
    expect(await calling).toBe("sent");
  });

  it("is allowed then for the caller whose approver still thought", async () => {
    const { other, calling, second } = await waiting(
      (one) => one.propose(pay(120)),
      () => new Promise(() => undefined),
    );
    await other.deny(second, BOB);
    expect(await calling).toEqual({ kind: "allow", callId: "call_1" });
  });

  it("is judged anew then", async () => {
    const { other, calling, second } = await waiting(wrapped, "manual");
    const denied = violationOf(calling);
    // 110 and 120 are more than 150.
    await other.approve(second, BOB);
    expect(told((await denied).verdict)).toBe("aggregate_exceeded");
  });

  it("is not sent where the session ends first", async () => {
    const { other, calling } = await waiting(wrapped, "manual");
    const denied = violationOf(calling);
    await other.kill("enough");
    expect(told((await denied).verdict)).toBe("session_killed");
  });

  it("is withdrawn where its caller gives up: nobody else sends it", async () => {
    const ending = new AbortController();
    const { one, other, calling, id, second } = await waiting(
      (guard) => guard.wrap(async () => "sent")("pay", pay(120).args, { signal: ending.signal }),
      "manual",
    );
    ending.abort(new Error("the caller left"));
    await expect(calling).rejects.toThrow("the caller left");
    await other.deny(second, BOB);
    for (const guard of [one, other]) expect(told(await guard.resume(id))).toBe("approval_withdrawn");
    expect(one.unsettled()).toEqual([]);
  });

  it("is refused where the store is closed", async () => {
    const { sound, calling } = await waiting(wrapped, "manual");
    const refused = violationOf(calling);
    await sound.close();
    expect(told((await refused).verdict)).toBe("store_unavailable");
  });

  it("says so to a caller that only asks", async () => {
    const { one, calling, other, id, second } = await waiting(wrapped, "manual");
    expect(told(await one.resume(id))).toBe("session_paused");
    await other.deny(second, BOB);
    expect(await calling).toBe("sent");
  });
});

it("an approval is not lost where others keep being faster while it is recorded", async () => {
  const { store, other } = await overtaken();
  let labels = 0;
  const overtake = async () => {
    labels += 1;
    await other.addLabel(`label-${labels}`);
    // More often than one decision is made again.
    if (labels < 12) store.overtake = overtake;
  };
  const approver = async () => {
    store.overtake = overtake;
    return { decision: "approve", ...ANN } as const;
  };
  const one = await paymentGuard(store, { approver });
  expect(await one.propose(pay(120))).toEqual({ kind: "allow", callId: "call_1" });
  expect(labels).toBe(12);
});
