import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import type { AppendResult, StreamWrite } from "../../src/guard/durable-store.js";
import type { Workflow, WorkflowSession } from "../../src/workflow/public.js";
import { LossyStore } from "../support/lossy-store.js";
import { memory, run, team } from "./team.js";

/** A store in which others are faster: so many appends come too late. */
class BusyStore extends LossyStore {
  late = 0;
  first: () => Promise<unknown> = async () => undefined;

  override async append(appendId: string, writes: readonly StreamWrite[]): Promise<AppendResult> {
    if (this.late > 0) {
      this.late -= 1;
      await this.first();
    }
    return super.append(appendId, writes);
  }
}

it.each(["session", "workflow"] as const)("a kill of a %s is recorded however busy its sessions are", async (scope) => {
  const inner = await memory();
  const store = new BusyStore(inner);
  const agents = await team({}, { store: inner });
  const operator = await team({}, { store });
  const lead = await agents.start("lead", { sessionId: "lead" });
  store.first = () => run(lead, "look");
  store.late = 100;
  await operator.kill({ scope, session: "lead", why: "it does not stop", operator: "ann" });
  expect(await run(lead, "look")).toBe(`${scope}_killed`);
});

it.each([
  ["a workflow", "workflow_killed", (workflow: Workflow) => workflow.kill({ scope: "workflow", why: "enough" })],
  ["a guard", "session_killed", (_: Workflow, { guard }: WorkflowSession) => guard.kill("enough")],
] as const)("a kill of %s comes before calls of its process that wait for their turn", async (_, reason, kill) => {
  const store = new BusyStore(await memory());
  const workflow = await team({ handoffs: "[{ from: lead, to: worker, parent_close_policy: terminate }]" }, { store });
  const lead = await workflow.start("lead");
  const workers = await Promise.all(Array.from({ length: 20 }, () => lead.handoff("worker")));
  let go = () => {};
  const slow = new Promise<void>((resolve) => {
    go = resolve;
  });
  const calls: Promise<string>[] = [];
  await new Promise<void>((resolve) => {
    store.first = () => {
      resolve();
      return slow;
    };
    store.late = 1;
    calls.push(...workers.map((worker) => run(worker, "look")));
  });
  const killed = kill(workflow, lead);
  go();
  await killed;
  const [first, ...others] = await Promise.all(calls);
  expect(first).toBe("allow");
  expect(new Set(others)).toEqual(new Set([reason]));
});

it("a start does not wait for a slow store once more for each conflict", async () => {
  const inner = await memory();
  const store = new BusyStore(inner);
  const agents = await team({}, { store: inner });
  const slow = await team({}, { store, storeTimeoutMs: 200 });
  const lead = await agents.start("lead", { sessionId: "lead" });
  let tries = 0;
  store.first = async () => {
    tries += 1;
    await setTimeout(120);
    await run(lead, "look");
  };
  store.late = 30;
  await expect(slow.start("lead")).rejects.toMatchObject({ reason: "store_contended" });
  expect(tries).toBeLessThan(4);
});
