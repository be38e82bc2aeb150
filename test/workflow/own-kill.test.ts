import { setImmediate as later } from "node:timers/promises";
import { expect, it } from "vitest";
import type { AppendResult, StreamWrite } from "../../src/guard/durable-store.js";
import { LossyStore } from "../support/lossy-store.js";
import { memory, propose, run, team } from "./team.js";

/** A store whose appends wait until they are let go on, once it is stopped. */
class StoppedStore extends LossyStore {
  readonly waiting: (() => void)[] = [];
  isStopped = false;

  override async append(appendId: string, writes: readonly StreamWrite[]): Promise<AppendResult> {
    if (this.isStopped) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return super.append(appendId, writes);
  }

  /** Lets one append after the other go on until that has happened; says how many. */
  async goUntil(hasHappened: () => boolean): Promise<number> {
    let count = 0;
    while (!hasHappened()) {
      const go = this.waiting.shift();
      if (go !== undefined) count += 1;
      go?.();
      await later();
    }
    return count;
  }
}

it.each([1, 50])("a kill by a guard, %i calls of whose session wait, waits for no other session", async (waiting) => {
  const store = new StoppedStore(await memory());
  const workflow = await team({}, { store });
  const others = await Promise.all(Array.from({ length: 20 }, () => workflow.start("lead")));
  const lead = await workflow.start("lead");
  store.isStopped = true;
  const calls = others.map((other) => run(other, "look"));
  const own = Array.from({ length: waiting }, () => propose(lead, "look"));
  let isRecorded = false;
  const killed = lead.guard.kill("enough").then(() => {
    isRecorded = true;
  });
  expect(lead.guard.state().killed).toBe(true);
  expect(await propose(lead, "look")).toBe("session_killed");
  // What is under way, and what waited with the kill.
  expect(await store.goUntil(() => isRecorded)).toBeLessThanOrEqual(3);
  await killed;
  store.isStopped = false;
  for (const go of store.waiting) go();
  expect(new Set(await Promise.all(own))).toEqual(new Set(["session_killed"]));
  expect(new Set(await Promise.all(calls))).toEqual(new Set(["allow"]));
  const { sessions } = await workflow.state();
  expect(sessions.flatMap(({ id, status }) => (status === "killed" ? [id] : []))).toEqual([lead.id]);
});
