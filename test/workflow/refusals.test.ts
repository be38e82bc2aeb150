import { describe, expect, it } from "vitest";
import { createGuard } from "../../src/guard/guard.js";
import { createRoleGuard } from "../../src/guard/role-guard.js";
import { openWorkflow, WorkflowRefused } from "../../src/workflow/public.js";
import { artifactOf } from "../support/guard-artifact.js";
import { WORKFLOW_REASONS } from "../support/workflow-reasons.js";
import { memory, propose, refusalOf, run, team, teamArtifact, WORKFLOW } from "./team.js";

const STORE = { load() {}, append() {}, read() {}, list() {}, watch() {} };
const REQUIRES = "[{ from: lead, to: worker, requires_artifacts: [task, files] }]";

describe("a start", () => {
  it("of a role that some handoff leads to needs one", async () => {
    const workflow = await team();
    const refused = await refusalOf(workflow.start("worker"));
    expect(refused).toEqual({
      kind: "block",
      reason: "handoff_required",
      message: "sessions of the role begin by a handoff",
      rule: { file: "workflow.yaml", line: expect.any(Number) },
      required: "a handoff to `worker`",
      found: "a start without one",
      hint: "needed: a handoff to `worker`",
    });
    expect((await workflow.state()).sessions).toEqual([]);
  });

  it("of no role is a TypeError that names the roles", async () => {
    const workflow = await team();
    await expect(workflow.start("boss")).rejects.toThrow(
      new TypeError("the workflow has no such role; it has lead, worker, helper"),
    );
    const lead = await workflow.start("lead");
    await expect(lead.handoff("boss")).rejects.toThrow(TypeError);
  });

  it.each([
    [{ sesionId: "x" }, "did you mean `sessionId`"],
    [{ artifacts: {} }, "there is no option `artifacts`"],
    [{ sessionId: "" }, "`sessionId` must be"],
    [{ sessionId: "x".repeat(501) }, "`sessionId` must be"],
    [{ mode: "off" }, "`mode` must be"],
  ])("with a wrong option is a TypeError: %j", async (options, message) => {
    const workflow = await team();
    await expect(workflow.start("lead", JSON.parse(JSON.stringify(options)))).rejects.toThrow(message);
    expect((await workflow.state()).sessions).toEqual([]);
  });

  it("under an id that the store has is refused, whoever has it", async () => {
    const store = await memory();
    const plain = artifactOf("#== look.yaml (with the required fields)");
    await createGuard(plain, { env: {}, store, sessionId: "taken" });
    const workflow = await team({}, { store });
    expect((await refusalOf(workflow.start("lead", { sessionId: "taken" }))).reason).toBe("session_exists");
    const lead = await workflow.start("lead", { sessionId: "mine" });
    expect((await refusalOf(workflow.start("lead", { sessionId: "mine" }))).reason).toBe("session_exists");
    expect((await refusalOf(lead.handoff("worker", { sessionId: "mine" }))).reason).toBe("session_exists");
    const other = await team({}, { store, workflowId: "other" });
    expect((await refusalOf(other.start("lead", { sessionId: "mine" }))).reason).toBe("session_exists");
    await expect(other.attach("mine")).rejects.toThrow("no such session");
    expect((await other.state()).sessions).toEqual([]);
  });
});

describe("a handoff", () => {
  it("that workflow.yaml does not declare", async () => {
    const workflow = await team();
    const lead = await workflow.start("lead");
    expect(await refusalOf(lead.handoff("helper"))).toMatchObject({
      ...{ reason: "handoff_not_declared", required: "a handoff from `lead` that workflow.yaml declares" },
      found: "one to `helper`",
    });
  });

  it("without an artifact that it requires", async () => {
    const workflow = await team({ handoffs: REQUIRES });
    const lead = await workflow.start("lead");
    const refused = await refusalOf(lead.handoff("worker", { artifacts: { task: null } }));
    expect(refused).toMatchObject({ reason: "handoff_artifact_missing", found: "none named `files`" });
    const inherited = Object.create({ files: 1 }, { task: { value: 1, enumerable: true } });
    expect((await refusalOf(lead.handoff("worker", { artifacts: inherited }))).reason).toBe("handoff_artifact_missing");
    const worker = await lead.handoff("worker", { artifacts: { task: null, files: [], more: 1 } });
    expect(worker.artifacts).toEqual({ task: null, files: [], more: 1 });
  });

  it.each<[string, unknown]>([
    ["a function", { task: () => 1 }],
    ["undefined", { task: undefined }],
    ["a list", [1]],
    ["a text", "task"],
    ["more than 1 MiB together", { a: "x".repeat(600_000), b: "y".repeat(600_000) }],
    ["a cycle", cycle()],
  ])("with artifacts that are no JSON, or too large: %s", async (_, artifacts) => {
    const workflow = await team();
    const lead = await workflow.start("lead");
    const handoff = lead.handoff("worker", { artifacts: artifacts as Record<string, unknown> });
    expect((await refusalOf(handoff)).reason).toBe("handoff_artifact_invalid");
    expect((await workflow.state()).totals.sessions).toBe(1);
  });

  it("with exactly 1 MiB of canonical JSON is made", async () => {
    const workflow = await team();
    const lead = await workflow.start("lead");
    const overhead = Buffer.byteLength('{"a":""}');
    const text = "é".repeat((1024 * 1024 - overhead) / 2);
    await lead.handoff("worker", { artifacts: { a: text } });
    expect((await refusalOf(lead.handoff("worker", { artifacts: { a: `${text}x` } }))).reason).toBe(
      "handoff_artifact_invalid",
    );
  });

  it("takes what it brings at once, and gives copies", async () => {
    const workflow = await team();
    const lead = await workflow.start("lead");
    const task = { n: 1 };
    const handing = lead.handoff("worker", { artifacts: { task } });
    task.n = 2;
    expect((await handing).artifacts).toEqual({ task: { n: 1 } });
  });

  it.each(["closed", "killed"] as const)("of a session that was %s", async (how) => {
    const workflow = await team();
    const lead = await workflow.start("lead");
    await (how === "closed" ? lead.close() : lead.guard.kill("x"));
    expect((await refusalOf(lead.handoff("worker"))).reason).toBe(`session_${how}`);
  });
});

describe("openWorkflow", () => {
  it("on another artifact than the workflow began under", async () => {
    const store = await memory();
    const first = await team({}, { store });
    await first.start("lead");
    const opening = openWorkflow(teamArtifact({ limits: "{ max_sessions: 3 }" }), {
      store,
      workflowId: WORKFLOW,
      env: {},
    });
    await expect(opening).rejects.toThrow(WorkflowRefused);
    expect((await refusalOf(opening)).reason).toBe("artifact_changed");
  });

  it.each<[object, string]>([
    [{}, "`store` must be"],
    [{ store: { load() {}, append() {} } }, "`store` must be"],
    [{ store: null, workflowId: "" }, "`store` must be"],
    [{ stor: 1 }, "did you mean `store`"],
    [{ store: STORE, clock: {} }, "`clock` must be"],
    [{ store: STORE, seal: (text: string) => text }, "`seal` and `open`"],
    [{ store: STORE, workflowId: "\0" }, "`workflowId` must be"],
  ])("with wrong options is a TypeError", async (options, message) => {
    const opening = openWorkflow(teamArtifact(), options as Parameters<typeof openWorkflow>[1]);
    await expect(opening).rejects.toThrow(message);
  });

  it("on another artifact learns of it later too, if somebody else began first", async () => {
    const store = await memory();
    const other = teamArtifact({ limits: "{ max_sessions: 3 }" });
    const [mine, theirs] = await Promise.all([
      openWorkflow(teamArtifact(), { store, workflowId: WORKFLOW, env: {} }),
      openWorkflow(other, { store, workflowId: WORKFLOW, env: {} }),
    ]);
    await theirs.start("lead", { sessionId: "theirs" });
    for (const work of [
      () => mine.start("lead"),
      () => mine.state(),
      () => mine.attach("theirs"),
      () => mine.kill({ scope: "workflow", why: "x" }),
    ]) {
      expect((await refusalOf(work())).reason).toBe("artifact_changed");
    }
  });

  it("on an artifact without a workflow is a TypeError", async () => {
    const plain = artifactOf("#== look.yaml (with the required fields)");
    await expect(openWorkflow(plain, { store: await memory() })).rejects.toThrow("has no workflow");
  });

  it("without an id begins a workflow of its own", async () => {
    const store = await memory();
    const [one, two] = await Promise.all([1, 2].map(() => openWorkflow(teamArtifact(), { store, env: {} })));
    expect(one?.id).not.toBe(two?.id);
    expect(one?.artifactHash).toBe(teamArtifact().hash);
  });
});

describe("the session of a workflow", () => {
  it("is none for a guard without it", async () => {
    const store = await memory();
    const workflow = await team({}, { store });
    await workflow.start("lead", { sessionId: "a" });
    const alone = createRoleGuard(teamArtifact(), { env: {}, store, sessionId: "a", role: "lead" });
    await expect(alone).rejects.toThrow("of another workflow");
  });

  it("counts refusals by its workflow for its circuit breaker, but not those after its end", async () => {
    const session = "session_limits: { circuit_breaker: { consecutive_blocks: 2 } }";
    const workflow = await team({ session, shared: "serial_only" });
    const [one, two] = [await workflow.start("lead"), await workflow.start("lead")];
    await propose(one, "edit", { file: 1 });
    expect(await run(two, "edit", { file: 1 })).toBe("resource_conflict");
    expect(await run(two, "edit", { file: 1 })).toBe("resource_conflict");
    expect(await run(two, "look")).toBe("session_killed");
    expect((await workflow.state()).sessions[1]?.status).toBe("killed");
    await one.close();
    for (let n = 0; n < 3; n += 1) expect(await run(one, "look")).toBe("session_closed");
    expect(one.guard.state().killed).toBe(false);
  });
});

describe("the reasons of workflows", () => {
  it("are all in these tests", () => {
    expect(Object.keys(WORKFLOW_REASONS).sort()).toEqual([
      "cancel_requested",
      "handoff_artifact_invalid",
      "handoff_artifact_missing",
      "handoff_not_declared",
      "handoff_required",
      "kill_not_permitted",
      "resource_conflict",
      "resource_unreadable",
      "session_closed",
      "session_exists",
      "workflow_killed",
      "workflow_limit_exceeded",
    ]);
  });
});

function cycle(): unknown {
  const value: { self?: unknown } = {};
  value.self = value;
  return value;
}
