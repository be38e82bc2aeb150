import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Artifact } from "../../src/artifact/compiled.js";
import type { DurableStore } from "../../src/guard/durable-store.js";
import type { Agent, SubAgent } from "../../src/pipelines/dispatch/agent.js";
import { createDispatchHandler, type DispatchOptions } from "../../src/pipelines/dispatch/dispatch.js";
import { createCodeRun, describeFailure } from "../../src/pipelines/public.js";
import { memoryStore } from "../../src/stores/memory.js";
import { openWorkflow } from "../../src/workflow/public.js";
import { LossyStore } from "../support/lossy-store.js";
import { memory, teamArtifact } from "../workflow/team.js";
import { AUTH, endpointOf, TOKEN } from "./endpoint.js";
import { respond } from "./platform/behaviour.js";
import { platformOf } from "./platform/platform-of.js";

beforeEach(() => {
  vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
});
afterEach(() => vi.restoreAllMocks());

const HANDOFFS = "[{ from: lead, to: worker, requires_artifacts: [task] }, { from: worker, to: helper }]";
const ARTIFACT = teamArtifact({ handoffs: HANDOFFS, shared: "single_writer", limits: "{ max_sessions: 4 }" });
const TASK = { task: "read the secret diary" };
const RUN = "run-17";

type RunSettings = Partial<Omit<DispatchOptions, "artifact">> & { readonly artifact?: Artifact };

/** Dispatches one run of an agent, over HTTP, to an endpoint that serves it under the workflow. */
async function dispatched(agent: Agent, { artifact = ARTIFACT, ...options }: RunSettings = {}, store?: DurableStore) {
  const kept = store ?? (await memory());
  const platform = await platformOf();
  const run = platform.openRun({ tools: { look: respond({}), edit: respond({}), ask: respond({}) } });
  const url = await endpointOf({ agent, artifact, guard: { store: kept, env: {} }, ...options });
  const result = await platform.dispatch(run, url, { authHeader: AUTH });
  const made = run.calls.map(({ tool, headers }) => `${headers["x-pipelines-actor-id"]} ${tool}`);
  const [stream = ""] = (await kept.list({ prefix: "workflow/" })).map((listed) => listed.stream);
  const workflowId = stream.slice("workflow/".length);
  const workflow = await openWorkflow(artifact, { store: kept, workflowId, env: {} });
  return { result, run, made, workflow, store: kept };
}

const KEPT = { workflowId: () => RUN, sessionId: () => `${RUN}/lead` };

async function reasonOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => "done",
    (cause) => cause.verdict?.reason ?? cause.name,
  );
}

describe("a run of an artifact with a workflow", () => {
  it("gives each sub-agent a session of its own, and attributes its calls to its path", async () => {
    const { result, run, made, workflow } = await dispatched(
      async ({ callTool, handoff }) => {
        await callTool("look", {});
        const worker = await handoff({ to: "worker", artifacts: TASK, why: "it knows the files" });
        await worker.callTool("edit", { file: "a" });
        const helper = await worker.handoff({ to: "lead/worker/helper" });
        await helper.callTool("look", { file: "a" });
        const second = await handoff({ to: "worker-2", role: "worker", artifacts: TASK });
        await second.callTool("look", {});
        const told = ({ actorId, role, artifacts }: SubAgent) => ({ actorId, role, artifacts });
        return JSON.stringify([worker, helper, second].map(told));
      },
      { sessionId: () => "17" },
    );
    expect(JSON.parse(result.answer ?? "")).toEqual([
      { actorId: "lead/worker", role: "worker", artifacts: TASK },
      { actorId: "lead/worker/helper", role: "helper", artifacts: {} },
      { actorId: "lead/worker-2", role: "worker", artifacts: TASK },
    ]);
    expect(made).toEqual(["lead look", "lead/worker edit", "lead/worker/helper look", "lead/worker-2 look"]);
    const { sessions, openHandoffs } = await workflow.state();
    expect(sessions.map(({ id, role, status, steps }) => `${id} ${role} ${status} ${steps}`)).toEqual([
      "17 lead closed 1",
      "17/worker worker closed 1",
      "17/worker/helper helper closed 1",
      "17/worker-2 worker closed 1",
    ]);
    expect(openHandoffs).toBe(0);
    const events = run.traces.filter(({ eventType }) => eventType === "handoff").map(({ body }) => body);
    expect(events).toMatchObject([
      { from: "lead", to: "lead/worker", role: "worker", artifacts: ["task"], why: "it knows the files" },
      { from: "lead/worker", to: "lead/worker/helper", role: "helper", artifacts: [] },
      { from: "lead", to: "lead/worker-2", role: "worker", artifacts: ["task"] },
    ]);
    // What a handoff brings stays between the agents.
    expect(JSON.stringify(events)).not.toContain("secret diary");
  });

  it("judges sub-agents together: what one holds, limits, and the end of the one before", async () => {
    const { result, made } = await dispatched(async ({ handoff }) => {
      const first = await handoff({ to: "worker", artifacts: TASK });
      const second = await handoff({ to: "worker", artifacts: TASK });
      await first.callTool("edit", { file: "a" });
      const conflict = await reasonOf(second.callTool("edit", { file: "a" }));
      await first.close();
      const released = await reasonOf(second.callTool("edit", { file: "a" }));
      const closed = await reasonOf(first.callTool("look", {}));
      await handoff({ to: "worker", artifacts: TASK });
      const limit = await reasonOf(handoff({ to: "worker", artifacts: TASK }));
      return [conflict, released, closed, limit].join(" ");
    });
    expect(result.answer).toBe("resource_conflict done session_closed workflow_limit_exceeded");
    expect(made).toEqual(["lead/worker edit", "lead/worker edit"]);
  });

  it("numbers sub-agents of one path", async () => {
    const { workflow } = await dispatched(
      async ({ handoff }) => {
        await Promise.all([1, 2, 3].map(() => handoff({ to: "worker", artifacts: TASK })));
        return "done";
      },
      { sessionId: () => "17" },
    );
    const { sessions } = await workflow.state();
    expect(sessions.map(({ id }) => id).sort()).toEqual(["17", "17/worker", "17/worker#2", "17/worker#3"]);
  });

  it("refuses handoffs as the workflow does, in words for a model", async () => {
    const { result, run } = await dispatched(async ({ handoff }) => {
      const said: string[] = [];
      for (const payload of [
        { to: "worker" },
        { to: "helper" },
        { to: "nobody" },
        { to: "wörker", role: "worker", artifacts: TASK },
        {},
      ]) {
        await handoff(payload).catch((cause: unknown) => said.push(describeFailure(cause)));
      }
      return said.join("\n");
    });
    const said = (result.answer ?? "").split("\n").map((text) => JSON.parse(text));
    expect(said).toMatchObject([
      { error: "refused_by_contract", reason: "handoff_artifact_missing", rule: "workflow.yaml:2" },
      { error: "refused_by_contract", reason: "handoff_not_declared" },
      ...Array(3).fill({ error: "tool_failed", name: "TypeError" }),
    ]);
    expect(run.traces).toEqual([]);
  });

  it("says what a handoff needs to whatever is none", async () => {
    const { result } = await dispatched(async ({ handoff }) => {
      const none: readonly unknown[] = [{}, null, "worker"];
      const said = none.map((payload) => handoff(payload as object).catch(({ message }) => message));
      return JSON.stringify(await Promise.all(said));
    });
    expect(JSON.parse(result.answer ?? "")).toEqual(Array(3).fill("a handoff names the sub-agent: `to`"));
  });

  it("ends with what a refusal says if the agent does not catch it, and goes on if it does not wait for it", async () => {
    const thrown = await dispatched(async ({ handoff }) => (await handoff({ to: "worker" })).actorId ?? "");
    expect(thrown.result).toMatchObject({ status: 200, errorClass: null });
    expect(thrown.result.answer).toMatch(/^The run was stopped: its workflow refused it\. .*handoff_artifact_missing/);
    const ignored = await dispatched(async ({ handoff }) => {
      handoff({ to: "worker" });
      return "done";
    });
    expect(ignored.result.answer).toBe("done");
  });

  it("closes a session whose handoff was not awaited, too", async () => {
    const { workflow } = await dispatched(async ({ handoff }) => {
      handoff({ to: "worker", artifacts: TASK });
      return "done";
    });
    const active = async () => (await workflow.state()).totals.active;
    await expect.poll(active).toBe(0);
  });

  it("closes the other sessions where one of them cannot be closed", async () => {
    const kept = await memory();
    const store: DurableStore = {
      kind: kept.kind,
      append: async (id, writes) => {
        const isEndOfHelper = JSON.stringify(writes).includes(String.raw`\"closed\",\"session\":\"17/worker/helper\"`);
        if (isEndOfHelper) throw new Error("no connection");
        return kept.append(id, writes);
      },
      load: (...given) => kept.load(...given),
      read: (...given) => kept.read(...given),
      list: (...given) => kept.list(...given),
      watch: (...given) => kept.watch(...given),
      close: () => kept.close(),
    };
    const guard = { store, env: {}, storeTimeoutMs: 200 };
    const agent: Agent = async ({ handoff }) => {
      const worker = await handoff({ to: "worker", artifacts: TASK });
      await worker.handoff({ to: "helper" });
      return "done";
    };
    const { workflow } = await dispatched(agent, { guard, sessionId: () => "17" }, kept);
    const statuses = async () => (await workflow.state()).sessions.map(({ id, status }) => `${id} ${status}`);
    await expect.poll(statuses).toEqual(["17 closed", "17/worker closed", "17/worker/helper cancel_requested"]);
  });

  it.each(["request_cancel", "abandon"])("ends a sub-agent whose start was not answered: %s", async (policy) => {
    const artifact = teamArtifact({ handoffs: `[{ from: lead, to: worker, parent_close_policy: ${policy} }]` });
    const kept = await memory();
    const store = new LossyStore(kept);
    const agent: Agent = async ({ handoff }) => {
      store.loads = () => "request lost";
      store.appends = () => {
        store.appends = () => "request lost";
        return "answer lost";
      };
      const lost = await reasonOf(handoff({ to: "worker" }));
      store.loads = () => "pass";
      store.appends = () => "pass";
      return String(lost);
    };
    const guard = { store, env: {}, storeTimeoutMs: 50 };
    const { result, workflow } = await dispatched(
      agent,
      { artifact, role: "lead", guard, sessionId: () => "17" },
      kept,
    );
    expect(result.answer).toBe("StoreUnavailable");
    const statuses = async () => (await workflow.state()).sessions.map(({ id, status }) => `${id} ${status}`);
    await expect.poll(statuses).toEqual(["17 closed", "17/worker killed"]);
  });

  it("ends a sub-agent whose start is not answered until the run is over", async () => {
    const kept = await memory();
    const store = new LossyStore(kept);
    // The handoff takes longer than a close waits for its turn: it reads first, because a call was not answered.
    let isSlow = false;
    const slow: DurableStore = {
      kind: "slow",
      append: async (id, writes) => {
        const answer = await store.append(id, writes);
        if (isSlow) await setTimeout(150);
        return answer;
      },
      load: async (...given) => {
        if (isSlow) await setTimeout(150);
        return store.load(...given);
      },
      read: (...given) => store.read(...given),
      list: (...given) => store.list(...given),
      watch: (...given) => store.watch(...given),
      close: () => store.close(),
    };
    let lost: Promise<unknown> = Promise.resolve();
    const agent: Agent = async ({ callTool, handoff }) => {
      store.appends = () => "request lost";
      store.loads = () => "request lost";
      await reasonOf(callTool("edit", {}));
      isSlow = true;
      store.loads = () => "pass";
      store.appends = () => "answer lost";
      lost = reasonOf(handoff({ to: "worker", artifacts: TASK }));
      return "done";
    };
    const guard = { store: slow, env: {}, storeTimeoutMs: 200 };
    const { workflow } = await dispatched(agent, { guard, sessionId: () => "17" }, kept);
    const statuses = async () => (await workflow.state()).sessions.map(({ id, status }) => `${id} ${status}`);
    expect(await lost).toBe("StoreUnavailable");
    isSlow = false;
    store.appends = () => "pass";
    await expect.poll(statuses).toEqual(["17 closed", "17/worker killed"]);
  });

  it("is closed where a slow store opens its session after the run has ended", async () => {
    const store = await memory();
    const { append } = store;
    let answer = () => {};
    const isAnswering = new Promise<void>((resolve) => {
      answer = resolve;
    });
    store.append = async (id, writes) => {
      await isAnswering;
      return append.call(store, id, writes);
    };
    const agent = vi.fn(async () => "never");
    const handler = createDispatchHandler({
      auth: { token: TOKEN },
      ...{ artifact: ARTIFACT, agent, guard: { store, env: {}, storeTimeoutMs: 600_000 }, runTimeoutSeconds: 0.5 },
      sessionId: () => "17",
    });
    const dispatch = new Request("http://localhost/", {
      method: "POST",
      headers: { authorization: AUTH.value, "content-type": "application/json", "x-pipelines-run-token": "secret" },
      body: JSON.stringify({ odyssey_proxy_url: "http://127.0.0.1:1/runs/1", input: {} }),
    });
    const reply: unknown = await (await handler(dispatch)).json();
    expect(JSON.stringify(reply)).toContain("stopped before the agent had finished");
    answer();
    const statuses = async () => {
      const streams = await store.list({ prefix: "workflow/" });
      const workflowId = streams[0]?.stream.slice("workflow/".length) ?? "";
      const workflow = await openWorkflow(ARTIFACT, { store, workflowId, env: {} });
      return (await workflow.state()).sessions.map(({ id, status }) => `${id} ${status}`);
    };
    await expect.poll(async () => (await store.list({ prefix: "workflow/" })).length).toBe(1);
    await expect.poll(statuses).toEqual(["17 closed"]);
    expect(agent).not.toHaveBeenCalled();
  });

  it("goes on with a workflow that outlives it", async () => {
    const first = await dispatched(async ({ callTool, handoff }) => {
      await callTool("edit", { file: "a" });
      await handoff({ to: "worker", artifacts: TASK });
      return "done";
    }, KEPT);
    expect((await first.workflow.state()).totals).toMatchObject({ sessions: 2, active: 2 });
    const second = await dispatched(
      async ({ callTool, handoff }) => {
        await callTool("look", {});
        const worker = await handoff({ to: "worker", artifacts: TASK });
        return String(await reasonOf(worker.callTool("edit", { file: "a" })));
      },
      KEPT,
      first.store,
    );
    expect(second.result.answer).toBe("resource_conflict");
    const { sessions } = await second.workflow.state();
    expect(sessions.map(({ id, steps }) => `${id} ${steps}`)).toEqual([
      `${RUN}/lead 2`,
      `${RUN}/lead/worker 0`,
      `${RUN}/lead/worker#2 0`,
    ]);
  });

  it("numbers sub-agents of one path also where another run of the workflow began them meanwhile", async () => {
    const store = await memory();
    const { workflow } = await dispatched(
      async ({ handoff }) => {
        const inner = async () => dispatched(async (other) => (await other.handoff(to)).actorId ?? "", KEPT, store);
        const to = { to: "worker", artifacts: TASK };
        expect((await inner()).result.answer).toBe("lead/worker");
        return (await handoff(to)).actorId ?? "";
      },
      KEPT,
      store,
    );
    const { sessions } = await workflow.state();
    expect(sessions.map(({ id }) => id)).toEqual([...[`${RUN}/lead`, `${RUN}/lead/worker`, `${RUN}/lead/worker#2`]]);
  });

  it("shares the root of a workflow that another run begins at the same time", async () => {
    const store = await memory();
    const { append } = store;
    // The other run begins its root after this one has read that there is none.
    store.append = async (id, writes) => {
      store.append = append;
      const { made } = await dispatched(async ({ callTool }) => String(await callTool("look", {})), KEPT, store);
      expect(made).toEqual(["lead look"]);
      return append.call(store, id, writes);
    };
    const { result, workflow } = await dispatched(async () => "done", KEPT, store);
    expect(result.answer).toBe("done");
    expect((await workflow.state()).totals).toMatchObject({ sessions: 1, active: 1, steps: 1 });
  });

  it("does not run the agent in a session of another role", async () => {
    const first = await dispatched(
      async ({ handoff }) => (await handoff({ to: "worker", artifacts: TASK })).role ?? "",
      KEPT,
    );
    const again = { ...KEPT, sessionId: () => `${RUN}/lead/worker` };
    let runs = 0;
    const agent = async () => String(++runs);
    const { result } = await dispatched(agent, again, first.store);
    expect(result.answer).toMatch(/^The run was stopped: its workflow refused it\. .*session_exists/);
    expect(runs).toBe(0);
    // The role of that session may go on with it.
    expect((await dispatched(agent, { ...again, role: "worker" }, first.store)).result.answer).toBe("1");
  });

  it("does not run the agent in a workflow that was killed", async () => {
    const store = await memory();
    const workflow = await openWorkflow(ARTIFACT, { store, workflowId: RUN, env: {} });
    await workflow.kill({ scope: "workflow", why: "enough" });
    let runs = 0;
    const agent = async () => String(++runs);
    const { result } = await dispatched(agent, KEPT, store);
    expect(result.answer).toMatch(/^The run was stopped: its workflow refused it\. .*workflow_killed/);
    expect({ status: result.status, runs }).toEqual({ status: 200, runs: 0 });
  });

  it("tells who is calling by the role", async () => {
    const asked: unknown[] = [];
    const principal = (_: unknown, role: string | null) => {
      asked.push(role);
      return {};
    };
    await dispatched(async ({ handoff }) => (await handoff({ to: "worker", artifacts: TASK })).role ?? "", {
      principal,
    });
    expect(asked).toEqual(["lead", "worker"]);
  });

  it("is the same in code mode", async () => {
    const platform = await platformOf();
    const { proxyUrl, runToken, calls } = platform.openRun({ tools: { look: respond({}) } });
    const run = createCodeRun({
      artifact: ARTIFACT,
      guard: { store: await memory(), env: {} },
      agent: async ({ handoff }) => {
        await (await handoff({ to: "worker", artifacts: TASK })).callTool("look", {});
        return "done";
      },
    });
    expect(await run({}, { proxyUrl, runToken })).toMatchObject({ final_response: "done" });
    expect(calls.map(({ headers }) => headers["x-pipelines-actor-id"])).toEqual(["lead/worker"]);
  });
});

describe("a handler for an artifact with a workflow", () => {
  const made = (options: Partial<DispatchOptions>) => () =>
    createDispatchHandler({ auth: { token: TOKEN }, artifact: ARTIFACT, agent: async () => "done", ...options });

  it("needs a store that sessions can share, and the role of the agent where several can start", async () => {
    const guard = { store: await memory() };
    expect(made({})).toThrow("`store` must be a store of contract-guard/stores");
    expect(made({ guard: { store: memoryStore() } })).toThrow("`store` must be a store of contract-guard/stores");
    expect(made({ guard, role: "nobody" })).toThrow("the workflow has no such role; it has lead, worker, helper");
    const artifact = teamArtifact({ handoffs: "[{ from: lead, to: helper }]" });
    expect(made({ guard, artifact })).toThrow("give the `role` of the agent, one of lead, worker");
    expect(made({ guard, artifact, role: "worker" })).not.toThrow();
    expect(made({ artifact: "none", role: "worker" })).toThrow("for an artifact with a workflow");
  });
});

describe("a handoff without a workflow", () => {
  it("is reported, and attributes the calls of the sub-agent to it", async () => {
    const platform = await platformOf();
    const run = platform.openRun({ tools: { look: respond({}) } });
    const url = await endpointOf({
      agent: async ({ callTool, handoff }) => {
        const refunds = await handoff({ from: "supervisor", to: "supervisor/refunds" });
        await refunds.callTool("look", {});
        await refunds.callTool("look", {}, { actorId: "supervisor/other" });
        await callTool("look", {});
        await (await handoff({ note: "no name" })).callTool("look", {});
        await refunds.close();
        return `${refunds.actorId} ${refunds.role}`;
      },
    });
    const { answer } = await platform.dispatch(run, url, { authHeader: AUTH });
    expect(answer).toBe("supervisor/refunds null");
    expect(run.calls.map(({ headers }) => headers["x-pipelines-actor-id"])).toEqual([
      "supervisor/refunds",
      "supervisor/other",
      undefined,
      undefined,
    ]);
    expect(run.traces.map(({ eventType }) => eventType)).toEqual(["handoff", "handoff"]);
  });
});
