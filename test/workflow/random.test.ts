import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { replayStore } from "../../src/audit/replay/replay-store.js";
import { verifyStore } from "../../src/audit/verify-store.js";
import type { DurableStore } from "../../src/guard/durable-store.js";
import type { Workflow, WorkflowSession } from "../../src/workflow/public.js";
import { LossyStore } from "../support/lossy-store.js";
import { type Random, randomFrom } from "../support/random.js";
import { seedOf } from "../support/seed.js";
import { sizeOf } from "../support/size.js";
import { memory, team, teamArtifact } from "./team.js";

const ROUNDS = sizeOf("WORKFLOW_ROUNDS", { share: 8, full: 200 });
const OPERATIONS = 60;
const SEED = seedOf("WORKFLOW_SEED", 1);

const TEAM = {
  handoffs:
    "[{ from: lead, to: worker, parent_close_policy: request_cancel }, { from: worker, to: helper, parent_close_policy: terminate }, { from: helper, to: worker, parent_close_policy: abandon }]",
  limits: "{ max_sessions: 14, max_active_sessions: 8, max_total_steps: 20, max_total_cost: 1, max_open_handoffs: 6 }",
  rest: "cancellation: { subtree_kill: true }",
  session: "session_limits: { circuit_breaker: { consecutive_blocks: 6 } }",
};
const MODES = ["single_writer", "exclusive_pending", "serial_only"] as const;

/** One process: its connection loses some answers. */
class Host {
  readonly sessions: WorkflowSession[] = [];

  constructor(
    readonly workflow: Workflow,
    private readonly random: Random,
  ) {}

  private get session(): WorkflowSession | undefined {
    return this.sessions.length === 0 ? undefined : this.random.pick(this.sessions);
  }

  async act(): Promise<void> {
    const { random, session } = this;
    const file = random.below(3);
    if (session === undefined || random.below(12) === 0) {
      this.sessions.push(await this.workflow.start("lead", { approver: "manual", mode: this.mode }));
      return;
    }
    const { guard } = session;
    switch (random.below(12)) {
      case 0:
        this.sessions.push(await session.handoff(random.pick(["worker", "helper"]), { approver: "manual" }));
        return;
      case 1:
        await guard.beginStep();
        return;
      case 2:
        await guard.recordCost(0.1);
        return;
      case 3:
        await this.settle(session);
        return;
      case 4:
        if (random.below(4) === 0) await session.close();
        return;
      case 5:
        await this.kill(session);
        return;
      case 6:
        await this.attach();
        return;
      case 7:
        await this.approve(session, file);
        return;
      default: {
        const verdict = await guard.propose({ tool: random.pick(["look", "edit", "tell"]), args: { file } });
        if (verdict.kind === "allow" && random.below(2) === 0) await this.settle(session);
      }
    }
  }

  private get mode(): "enforce" | "shadow" {
    return this.random.below(6) === 0 ? "shadow" : "enforce";
  }

  private async settle({ guard }: WorkflowSession): Promise<void> {
    const [call] = guard.unsettled();
    if (call === undefined) return;
    const outcome = this.random.pick([
      { kind: "result", output: {} },
      { kind: "error", sent: false },
      { kind: "timeout" },
      { kind: "happened" },
      { kind: "did_not_happen" },
    ] as const);
    await guard.settle(call.callId, outcome);
  }

  private async kill({ id: session, guard }: WorkflowSession): Promise<void> {
    const { random, workflow } = this;
    const dice = random.below(80);
    if (dice === 0) await workflow.kill({ scope: "workflow", why: "x" });
    else if (dice < 4) await workflow.kill({ scope: "subtree", session, why: "x" });
    else if (dice < 8) await guard.kill("x");
  }

  private async attach(): Promise<void> {
    const { sessions } = await this.workflow.state();
    if (sessions.length === 0) return;
    this.sessions.push(await this.workflow.attach(this.random.pick(sessions).id, { approver: "manual" }));
  }

  private async approve({ guard }: WorkflowSession, file: number): Promise<void> {
    const verdict = await guard.propose({ tool: "ask", args: { file } });
    if (verdict.kind !== "approval_required") return;
    if (this.random.below(2) === 0) await guard.approve(verdict.approvalId, { by: "ann" });
    else await guard.deny(verdict.approvalId, { by: "ann" });
  }
}

/** A store that answers some requests so late that whoever asks has given up, before or after it did what was asked. */
function slow(store: DurableStore, random: Random): DurableStore {
  const sometimes = async () => {
    if (random.below(12) === 0) await setTimeout(random.below(25));
  };
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      if (name !== "append" && name !== "load") return value.bind(target);
      return async (...given: unknown[]) => {
        await sometimes();
        const answer: unknown = await Reflect.apply(value, target, given);
        await sometimes();
        return answer;
      };
    },
  });
}

const PATIENT = { storeTimeoutMs: 400, settleTimeoutMs: 400 };
const IMPATIENT = { storeTimeoutMs: 12, settleTimeoutMs: 40 };

async function hosts(
  store: DurableStore,
  mode: string,
  { random, times }: { readonly random: Random; readonly times: typeof PATIENT },
): Promise<readonly Host[]> {
  return Promise.all(
    [1, 2, 3].map(async () => {
      const lossy = new LossyStore(times === IMPATIENT ? slow(store, random) : store);
      const workflow = await opened(() => team({ ...TEAM, shared: mode }, { store: lossy, ...times }));
      lossy.appends = () => (random.below(25) === 0 ? random.pick(["answer lost", "request lost"] as const) : "pass");
      return new Host(workflow, random);
    }),
  );
}

/** A store that is slow may not even let a workflow be opened at first. */
async function opened(open: () => Promise<Workflow>): Promise<Workflow> {
  for (;;) {
    const workflow = await open().catch(() => null);
    if (workflow !== null) return workflow;
  }
}

/** Both logs say the same, whoever wrote them. */
async function expectOneTruth(store: DurableStore, mode: string): Promise<void> {
  const workflow = await team({ ...TEAM, shared: mode }, { store });
  const { sessions, totals } = await workflow.state();
  for (const { id, steps, cost } of sessions) {
    const { guard } = await workflow.attach(id);
    expect({ id, steps: guard.state().steps, cost: guard.state().cost }).toEqual({ id, steps, cost });
  }
  expect(totals.steps).toBe(sessions.reduce((sum, { steps }) => sum + steps, 0));
  expect((await verifyStore(store)).problems).toEqual([]);
  const artifact = teamArtifact({ ...TEAM, shared: mode });
  const { result } = await replayStore(store, { artifact, principals: new Map(), env: {}, session: null });
  expect(result.problems).toEqual([]);
  expect(result.skipped).not.toHaveProperty("workflow");
}

/** Whatever was allowed was judged by the very last state: nothing stands between it and what it was judged by. */
async function expectFenced(store: DurableStore, seen: Map<string, number>): Promise<void> {
  const [workflow] = await store.list({ prefix: "workflow/" });
  if (workflow === undefined) return;
  const places = new Map(
    (await store.read(workflow.stream, 0, 5000)).map(({ appendId, revision }) => [appendId, revision]),
  );
  for (const { stream } of await store.list({ prefix: "session/" })) {
    for (const { appendId, data } of await store.read(stream, 0, 5000)) {
      const { event, note } = JSON.parse(data);
      const told = note?.verdict?.reason ?? note?.verdict?.kind ?? "none";
      seen.set(told, (seen.get(told) ?? 0) + 1);
      if (event?.kind !== "reserved" && event?.kind !== "step_begun") continue;
      expect(places.get(appendId)).toBe(note.judgedAt + 1);
    }
  }
}

const OFTEN = [
  ...["allow", "approval_required", "session_closed", "session_killed"],
  ...["workflow_limit_exceeded", "resource_conflict"],
];

async function play(mode: string, rounds: number, times: typeof PATIENT): Promise<ReadonlyMap<string, number>> {
  const seen = new Map<string, number>();
  for (let round = 0; round < rounds; round += 1) {
    const random = randomFrom(SEED, round);
    const store = await memory();
    const all = await hosts(store, mode, { random, times });
    const work = all.map(async (host) => {
      for (let n = 0; n < OPERATIONS; n += 1) await host.act().catch((cause: unknown) => cause);
    });
    await Promise.all(work);
    // What was sent late arrives.
    if (times === IMPATIENT) await setTimeout(100);
    await expectFenced(store, seen);
    await expectOneTruth(store, mode).catch((cause: unknown) => {
      throw new Error(`seed ${SEED}, round ${round}`, { cause });
    });
  }
  return seen;
}

describe("several processes that do whatever they may", () => {
  it.each(MODES)(
    "leave logs in which every verdict is right: %s",
    async (mode) => {
      const seen = await play(mode, ROUNDS, PATIENT);
      expect(OFTEN.filter((told) => !seen.has(told))).toEqual([]);
    },
    300_000,
  );

  it.each(MODES)(
    "do so where the store answers too late: %s",
    async (mode) => {
      await play(mode, Math.ceil(ROUNDS / 3), IMPATIENT);
    },
    300_000,
  );
});
