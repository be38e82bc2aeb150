import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { openStore } from "../../src/stores/open-store.js";
import { approvalIdOf } from "../support/durable-guard.js";
import { told } from "../support/guard-steps.js";
import { newSchema, POSTGRES, POSTGRES_MISSING } from "../support/postgres-database.js";
import { runSql } from "../support/postgres-server.js";
import { storeFolder } from "../support/store-folder.js";
import { Teller } from "./teller.js";

const DAY = 24 * 60 * 60 * 1000;

/** A clock that somebody sets; it goes on from there. */
class JumpingClock {
  private offset = 0;

  jump(ms: number): void {
    this.offset += ms;
  }

  now(): number {
    return Date.now() + this.offset;
  }
}

async function opened(url: string): Promise<DurableStore> {
  const store = await openStore(url);
  onTestFinished(() => store.close());
  return store;
}

/** A payment that waits for an approval, in a guard whose clock can be set. */
async function waiting(store: DurableStore) {
  const clock = new JumpingClock();
  const { guard } = await Teller.open(store, { clock });
  const asked = await guard.propose({ tool: "pay", args: { reference: "large", amount: 600 } });
  return { clock, guard, approvalId: approvalIdOf(asked) };
}

describe("a guard whose clock jumps, on sqlite", () => {
  const newStore = () => opened(`sqlite:${join(storeFolder(), "guard.db")}`);

  it("forward: a request expires, and does not come back when the clock is set back", async () => {
    const { clock, guard, approvalId } = await waiting(await newStore());
    clock.jump(DAY);
    expect(told(await guard.resume(approvalId))).toBe("approval_expired");
    clock.jump(-2 * DAY);
    expect(told(await guard.approve(approvalId, { by: "ann" }))).toBe("approval_expired");
    expect(told(await guard.resume(approvalId))).toBe("approval_expired");
    expect(guard.state()).toMatchObject({ toolCalls: 0, unsettled: [] });
  });

  it("backward: a request waits longer, and its call is reserved once", async () => {
    const { clock, guard, approvalId } = await waiting(await newStore());
    clock.jump(-DAY);
    expect(told(await guard.resume(approvalId))).toBe("approval_required");
    expect(told(await guard.approve(approvalId, { by: "ann" }))).toBe("allow");
    clock.jump(2 * DAY);
    expect(await guard.resume(approvalId)).toMatchObject({ kind: "allow", repeated: true });
    expect(guard.state()).toMatchObject({ toolCalls: 1, aggregates: { paid: 600 } });
  });

  it("in either direction frees no reservation", async () => {
    const store = await newStore();
    const clock = new JumpingClock();
    const { guard } = await Teller.open(store, { clock });
    expect(told(await guard.propose({ tool: "pay", args: { reference: "open", amount: 5 } }))).toBe("allow");
    for (const jump of [10 * DAY, -20 * DAY]) {
      clock.jump(jump);
      const next = await Teller.open(store, { clock });
      expect(next.guard.state()).toMatchObject({ toolCalls: 1, aggregates: { paid: 5 } });
      expect(next.guard.unsettled()).toHaveLength(1);
    }
  });
});

describe.skipIf(POSTGRES === null)(`a guard whose clock jumps, on postgres${POSTGRES_MISSING}`, () => {
  it.each([DAY, -DAY])("does not notice: the clock of the server decides (%d ms)", async (jump) => {
    const store = await opened(await newSchema());
    const { clock, guard, approvalId } = await waiting(store);
    clock.jump(jump);
    expect(told(await guard.resume(approvalId))).toBe("approval_required");
    const other = await Teller.open(store, { clock });
    expect(told(await other.guard.approve(approvalId, { by: "ann" }))).toBe("recorded");
    expect(told(await guard.resume(approvalId))).toBe("allow");
  });

  it("expires a request when the clock of the server jumps forward, and does not bring it back", async () => {
    const { url, jump } = await jumpingServer();
    const { guard, approvalId } = await waiting(await opened(url));
    await jump("-1 day");
    await guard.recordCost(1);
    expect(told(await guard.resume(approvalId))).toBe("approval_required");
    await jump("1 day");
    await guard.recordCost(1);
    expect(told(await guard.resume(approvalId))).toBe("approval_expired");
    await jump("-1 day");
    await guard.recordCost(1);
    expect(told(await guard.approve(approvalId, { by: "ann" }))).toBe("approval_expired");
    expect(guard.state()).toMatchObject({ toolCalls: 0, unsettled: [], cost: 3 });
  });

  /** A schema with a clock of its own, which hides the one of the server. */
  async function jumpingServer() {
    const url = new URL(await newSchema());
    const options = url.searchParams.get("options") ?? "";
    url.searchParams.set("options", options.replace(/search_path=(\w+)/, "search_path=$1,pg_catalog"));
    const jump = (by: string) =>
      runSql(
        url.href,
        `create or replace function clock_timestamp() returns timestamptz language sql as
           $$ select pg_catalog.clock_timestamp() + interval '${by}' $$`,
      );
    await jump("0 days");
    return { url: url.href, jump };
  }
});
