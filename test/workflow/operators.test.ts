import { describe, expect, it } from "vitest";
import { openApprovals } from "../../src/sessions/approvals.js";
import { migrateSession } from "../../src/sessions/migration/migrate-session.js";
import { openWorkflow } from "../../src/workflow/public.js";
import { closing, SHARED_KINDS, sqliteUrl } from "../support/operated-stores.js";
import { waitForCli } from "../support/run-cli.js";
import { propose, refusalOf, run, teamArtifact, WORKFLOW } from "./team.js";

const ANN = ["--by", "ann", "--why", "it is stuck"];
const TEAM = {
  handoffs: "[{ from: lead, to: worker }, { from: worker, to: helper, parent_close_policy: terminate }]",
  shared: "single_writer",
  rest: "cancellation: { workflow_kill: operator_only }",
};
const ARTIFACT = teamArtifact(TEAM);

/** Runs a command and reads what it printed as JSON. */
async function json(...args: readonly string[]) {
  const { code, stdout, stderr } = await waitForCli([...args, "--format", "json"]);
  return { code, stderr, printed: stdout === "" ? null : JSON.parse(stdout) };
}

async function begun(url: string) {
  const store = await closing(url);
  const workflow = await openWorkflow(ARTIFACT, { store, workflowId: WORKFLOW, env: {} });
  const lead = await workflow.start("lead", { sessionId: "lead" });
  const worker = await lead.handoff("worker", { sessionId: "worker", approver: "manual" });
  return { store, workflow, lead, worker };
}

describe.each(SHARED_KINDS)("operators on a %s store", (_, newUrl) => {
  it("see the workflows, in the shapes that are documented", async () => {
    const url = await newUrl();
    const { worker, workflow } = await begun(url);
    await propose(worker, "edit", { file: "secret.txt" });
    expect((await json("workflows", "list", url)).printed).toEqual({
      workflows: [
        {
          ...{ id: WORKFLOW, workflow: "example", artifact: ARTIFACT.hash, killed: false },
          ...{ sessions: 2, active: 2, updated: expect.any(Number) },
        },
      ],
    });
    const { printed } = await json("workflows", "show", url, WORKFLOW);
    expect(printed).toEqual({
      ...{ id: WORKFLOW, workflow: "example", artifact: ARTIFACT.hash },
      ...(await workflow.state()),
      records: expect.any(Array),
    });
    expect(printed.records.map(({ event }: { event: { kind: string } }) => event.kind)).toEqual([
      ...["started", "started", "progressed"],
    ]);
    // Which file is touched is an argument of the call.
    expect(JSON.stringify(printed.records)).not.toContain("secret");
    const text = (await waitForCli(["workflows", "show", url, WORKFLOW])).stdout;
    for (const part of ["review-17", "worker", "secret.txt", "single_writer"]) expect(text).toContain(part);
    expect((await waitForCli(["workflows", "list", url])).stdout).toContain("review-17");
  });

  it("settle a call of a session, which frees what it held", async () => {
    const url = await newUrl();
    const { worker, lead } = await begun(url);
    await propose(worker, "edit", { file: "x" });
    await worker.close();
    expect(await run(lead, "edit", { file: "x" })).toBe("resource_conflict");
    const settled = await json("sessions", "settle", url, "worker", "call_1", "--as", "happened", ...ANN);
    expect(settled).toMatchObject({ code: 0, printed: { accepted: true } });
    expect(await run(lead, "edit", { file: "x" })).toBe("allow");
  });

  it("kill a session, with what that means for its children", async () => {
    const url = await newUrl();
    const { worker, workflow } = await begun(url);
    await worker.handoff("helper", { sessionId: "helper" });
    expect((await json("sessions", "kill", url, "worker", ...ANN)).code).toBe(0);
    expect((await workflow.state()).sessions.map(({ status }) => status)).toEqual(["active", "killed", "killed"]);
    expect(await propose(worker, "look")).toBe("session_killed");
  });

  it("see where the sessions stand, also those that others ended", async () => {
    const url = await newUrl();
    const { worker, lead, workflow } = await begun(url);
    await worker.handoff("helper", { sessionId: "helper" });
    await propose(worker, "ask");
    const approvals = async () => (await json("approvals", "list", url)).printed.approvals.length;
    expect(await approvals()).toBe(1);
    await lead.close();
    expect(await approvals()).toBe(0);
    await worker.close();
    const { printed } = await json("sessions", "list", url);
    const shown = printed.sessions.map(({ id, killed, status, pendingApprovals }: Record<string, unknown>) => ({
      ...{ id, killed, status, pendingApprovals },
    }));
    expect(shown).toEqual([
      { id: "helper", killed: true, status: "killed", pendingApprovals: 0 },
      { id: "lead", killed: false, status: "closed", pendingApprovals: 0 },
      { id: "worker", killed: false, status: "closed", pendingApprovals: 0 },
    ]);
    const ids = async (status: string) =>
      (await json("sessions", "list", url, "--status", status)).printed.sessions.map(({ id }: { id: string }) => id);
    expect(await ids("killed")).toEqual(["helper"]);
    expect(await ids("active")).toEqual([]);
    expect((await json("sessions", "show", url, "helper")).printed).toMatchObject({ killed: true, status: "killed" });
    expect((await workflow.state()).totals.active).toBe(0);
  });

  it("end a workflow with their authority, and are told what is not permitted", async () => {
    const url = await newUrl();
    const { lead } = await begun(url);
    const subtree = await json("workflows", "kill", url, WORKFLOW, "--scope", "subtree", "--session", "lead", ...ANN);
    expect(subtree).toMatchObject({ code: 1, printed: { ok: false, reason: "kill_not_permitted" } });
    expect(await json("workflows", "kill", url, WORKFLOW, ...ANN)).toMatchObject({ code: 0, printed: { ok: true } });
    expect(await propose(lead, "look")).toBe("workflow_killed");
    const { printed } = await json("workflows", "show", url, WORKFLOW);
    expect(printed.records.slice(-2).map(({ event }: { event: object }) => event)).toEqual([
      { kind: "kill_refused", scope: "subtree", session: "lead", why: "it is stuck", operator: "ann" },
      { kind: "killed", scope: "workflow", session: null, why: "it is stuck", operator: "ann" },
    ]);
  });

  it("answer approvals; the call is judged by the workflow when it is resumed", async () => {
    const url = await newUrl();
    const { store, worker, lead } = await begun(url);
    const asked = await worker.guard.propose({ tool: "ask", args: { file: "x" } });
    if (asked.kind !== "approval_required") throw new Error(asked.kind);
    const approvals = openApprovals(store);
    const answer = { by: "ann", why: "fine" };
    expect(await approvals.approve(asked.approvalId, answer)).toMatchObject({ kind: "recorded" });
    await run(lead, "edit", { file: "x" });
    expect(await worker.guard.resume(asked.approvalId)).toMatchObject({ reason: "resource_conflict", found: "lead" });
    const again = await worker.guard.propose({ tool: "ask", args: { file: "y" } });
    if (again.kind !== "approval_required") throw new Error(again.kind);
    await lead.close();
    expect(await approvals.approve(again.approvalId, answer)).toEqual({ kind: "refused", reason: "cancel_requested" });
  });
});

describe("a command for workflows", () => {
  it.each([
    [["show", "nope"], "the store has no workflow `nope`"],
    [["kill", "nope", ...ANN], "the store has no workflow `nope`"],
    [["kill", WORKFLOW, "--scope", "session", ...ANN], "--scope session needs --session"],
    [["kill", WORKFLOW, "--session", "lead", ...ANN], "--session has no meaning with --scope workflow"],
    [["kill", WORKFLOW, "--scope", "session", "--session", "nope", ...ANN], "has no session `nope`"],
    [["kill", WORKFLOW, "--by", "ann", "--why", " "], "--by and --why must say"],
  ])("reports in one line what it cannot do: %j", async ([verb = "", ...rest], message) => {
    const url = sqliteUrl();
    await begun(url);
    const { code, stderr } = await waitForCli(["workflows", verb, url, ...rest]);
    expect(code).toBe(2);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toContain(message);
  });

  it("shows names that agents and callers chose without harm to the terminal", async () => {
    const url = sqliteUrl();
    const store = await closing(url);
    const hostile = "\u001b[2J\u001b]0;x\u0007\r\n::error::\u202e\u0085\u2028";
    const [id, session] = [`workflow${hostile}`, `session${hostile}`];
    const workflow = await openWorkflow(ARTIFACT, { store, workflowId: id, env: {} });
    await propose(await workflow.start("lead", { sessionId: session }), "edit", { file: `file${hostile}` });
    const signed = ["--by", `ann${hostile}`, "--why", `because${hostile}`];
    const commands: readonly (readonly [verb: string, ...rest: readonly string[]])[] = [
      ["kill", id, "--scope", "session", "--session", `nobody${hostile}`, ...signed],
      ["kill", id, "--scope", "session", "--session", session, ...signed],
      ["kill", id, ...signed],
      ["show", `no${hostile}`],
      ["show", id],
      ["list"],
    ];
    const printed: string[] = [];
    for (const [verb, ...rest] of commands) {
      const { stdout, stderr } = await waitForCli(["workflows", verb, url, ...rest]);
      printed.push(stdout + stderr);
    }
    const lines = printed.join("").split("\n");
    expect(lines.filter((line) => /\p{Cc}|[\u202e\u2028]|^::/u.test(line))).toEqual([]);
    expect(printed.map((text) => text.split("\n").length - 1)).toEqual([1, 1, 1, 1, expect.any(Number), 2]);
    for (const name of ["workflow", "session", "file", "ann", "because"]) expect(printed[4]).toContain(`${name}\ufffd`);
  });

  it("shows what limits would have refused in shadow mode", async () => {
    const url = sqliteUrl();
    const store = await closing(url);
    const artifact = teamArtifact({ limits: "{ max_sessions: 0 }" });
    const workflow = await openWorkflow(artifact, { store, workflowId: WORKFLOW, env: {} });
    await workflow.start("lead", { sessionId: "lead", mode: "shadow" });
    const { stdout } = await waitForCli(["workflows", "show", url, WORKFLOW]);
    expect(stdout).toMatch(/started lead lead \(would workflow_limit_exceeded\)$/m);
    const { printed } = await json("workflows", "show", url, WORKFLOW);
    expect(printed.records[0].note).toMatchObject({
      workflow: { id: WORKFLOW },
      verdict: { kind: "allow", would: { kind: "block", reason: "workflow_limit_exceeded" } },
    });
  });

  it("shows why sessions were killed, whoever did it", async () => {
    const url = sqliteUrl();
    const { worker, lead, workflow } = await begun(url);
    await worker.guard.kill("it loops");
    await refusalOf(workflow.kill({ scope: "subtree", session: "lead", why: "tired" }));
    await workflow.kill({ scope: "session", session: lead.id, why: "done with it" });
    await waitForCli(["workflows", "kill", url, WORKFLOW, ...ANN]);
    const { stdout } = await waitForCli(["workflows", "show", url, WORKFLOW]);
    const said = stdout.split("\n").filter((line) => line.includes("kill"));
    expect(said.slice(-4).map((line) => line.replace(/^.*Z +\S+ +/, ""))).toEqual([
      "progressed worker (killed: it loops)",
      "kill_refused lead scope subtree (tired)",
      "killed lead scope session (done with it)",
      "killed scope workflow (by ann: it is stuck)",
    ]);
  });

  it("lists nothing where there is none", async () => {
    const url = sqliteUrl();
    await closing(url);
    expect((await waitForCli(["workflows", "list", url])).stdout).toBe("no workflows\n");
  });
});

describe("a session of a workflow", () => {
  it("is not moved to another artifact", async () => {
    const { store } = await begun(sqliteUrl());
    expect(await migrateSession(store, "lead", teamArtifact({ ...TEAM, limits: "{ max_sessions: 9 }" }))).toEqual({
      ok: false,
      reasons: [`it is a session of the workflow \`${WORKFLOW}\`, whose sessions are judged by one artifact`],
    });
  });
});

describe("a sealed workflow", () => {
  const seal = (text: string) => Buffer.from(text).toString("base64");
  const open = (text: string) => Buffer.from(text, "base64").toString();

  it("shows nothing of what calls touch or handoffs bring, and goes on where it is opened", async () => {
    const url = sqliteUrl();
    const store = await closing(url);
    const options = { store, workflowId: WORKFLOW, env: {}, seal, open };
    const one = await openWorkflow(ARTIFACT, options);
    const lead = await one.start("lead", { sessionId: "lead" });
    const worker = await lead.handoff("worker", { sessionId: "worker", artifacts: { task: "topsecret" } });
    await propose(worker, "edit", { file: "topsecret" });
    for (const stream of [`workflow/${WORKFLOW}`, "session/worker"]) {
      const stored = JSON.stringify(await store.load(stream));
      expect(stored).not.toContain("topsecret");
    }
    const two = await openWorkflow(ARTIFACT, options);
    expect((await two.attach("worker")).artifacts).toEqual({ task: "topsecret" });
    expect((await two.state()).resources).toMatchObject([{ key: "topsecret" }]);
    expect((await json("sessions", "list", url)).printed.sessions).toMatchObject([{ id: "lead" }, { id: "worker" }]);
    expect((await json("workflows", "list", url)).printed.workflows).toMatchObject([{ sessions: 2 }]);
    const shown = await waitForCli(["workflows", "show", url, WORKFLOW]);
    expect(shown).toMatchObject({ code: 2, stderr: expect.stringContaining("sealed") });
  });
});
