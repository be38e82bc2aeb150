import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { SessionEnd } from "../../src/audit/chain.js";
import { checkpointLines } from "../../src/audit/checkpoint.js";
import { CheckpointCheck } from "../../src/audit/checkpoint-check.js";
import { exportLines } from "../../src/audit/export-log.js";
import { replayStore } from "../../src/audit/replay/replay-store.js";
import { verifyExport } from "../../src/audit/verify-export.js";
import { verifyStore } from "../../src/audit/verify-store.js";
import { contentHash } from "../../src/base/canonical-json.js";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { inStream, relinked, rewritten } from "../support/rewritten-store.js";
import { memory, propose, refusalOf, run, team, teamArtifact, WORKFLOW } from "./team.js";

const TEAM = { shared: "single_writer", limits: "{ max_total_steps: 6 }", handoffs: "[{ from: lead, to: worker }]" };

/** A workflow in which everything happens that a log can hold. */
async function recorded(): Promise<DurableStore> {
  const store = await memory();
  const workflow = await team(TEAM, { store });
  const lead = await workflow.start("lead", { sessionId: "lead" });
  const worker = await lead.handoff("worker", { sessionId: "worker", approver: "manual" });
  await run(worker, "edit", { file: "x" });
  expect(await run(lead, "edit", { file: "x" })).toBe("resource_conflict");
  expect(await run(lead, "edit", { file: null })).toBe("resource_unreadable");
  const shadow = await workflow.start("lead", { sessionId: "shadow", mode: "shadow" });
  await run(shadow, "edit", { file: "x" });
  await lead.guard.recordCost(0.1);
  const asked = await worker.guard.propose({ tool: "ask", args: { file: "y" } });
  if (asked.kind === "approval_required") await worker.guard.approve(asked.approvalId, { by: "ann" });
  for (let n = 0; n < 4; n += 1) await lead.guard.beginStep();
  expect(await run(lead, "look")).toBe("allow");
  expect(await run(worker, "look")).toBe("workflow_limit_exceeded");
  await refusalOf(workflow.kill({ scope: "subtree", session: "lead", why: "x" }));
  await lead.close();
  expect(await propose(lead, "look")).toBe("session_closed");
  expect(await propose(worker, "look")).toBe("cancel_requested");
  await workflow.kill({ scope: "workflow", why: "enough" });
  expect(await propose(worker, "look")).toBe("workflow_killed");
  return store;
}

async function linesOf(store: DurableStore): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportLines(store, null)) lines.push(line);
  return lines;
}

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

/** A workflow with a snapshot in which somebody changed the state, with hashes that fit. */
async function withForgedSnapshot(): Promise<DurableStore> {
  const store = await memory();
  const lead = await (await team(TEAM, { store })).start("lead", { sessionId: "lead" });
  await run(lead, "edit", { file: "x" });
  for (let n = 0; n < 260; n += 1) await lead.guard.recordCost(0.01);
  return rewritten(
    store,
    inStream(`workflow/${WORKFLOW}`, (content) => {
      const { snapshot } = content;
      if (snapshot === null) throw new Error("there is no snapshot");
      const data = JSON.parse(snapshot.data);
      const state = JSON.stringify({ ...JSON.parse(data.state), steps: 0, resources: [] });
      const records = content.records.map((record, index) =>
        index + 1 === snapshot.revision
          ? { ...record, data: JSON.stringify({ ...JSON.parse(record.data), state: contentHash(state) }) }
          : record,
      );
      return relinked({ ...content, records, snapshot: { ...snapshot, data: JSON.stringify({ ...data, state }) } });
    }),
  );
}

describe("the log of a workflow", () => {
  it("is verified with those of its sessions", async () => {
    const store = await recorded();
    const report = await verifyStore(store);
    expect(report).toMatchObject({ ok: true, sessions: 3, workflows: 1, problems: [] });
    const exported = await verifyExport(each(await linesOf(store)));
    expect(exported).toEqual({ ...report });
  });

  it("is decided anew: every verdict by the state of the workflow that it was judged by", async () => {
    const store = await recorded();
    const setting = { artifact: teamArtifact(TEAM), principals: new Map(), env: {}, session: null };
    const { result } = await replayStore(store, setting);
    expect(result).toMatchObject({ ok: true, problems: [] });
    expect(result.skipped).not.toHaveProperty("workflow");
    expect(result.replayed).toBe(18);
  });

  it("is decided anew where a rule of the session refused what the workflow would refuse too", async () => {
    const session = "policy: { rules: [{ deny: { principal: { path: $.type, equals: guest }, tools: [edit] } }] }";
    const guarded = { ...TEAM, session };
    const store = await memory();
    const workflow = await team(guarded, { store });
    const lead = await workflow.start("lead", { sessionId: "lead", principal: { type: "clerk" } });
    const guest = await workflow.start("lead", { sessionId: "guest", principal: { type: "guest" } });
    expect(await run(lead, "edit", { file: "x" })).toBe("allow");
    expect(await run(guest, "edit", { file: "x" })).toBe("policy_denied");
    const other = await workflow.start("lead", { sessionId: "other", principal: { type: "clerk" } });
    expect(await run(other, "edit", { file: "x" })).toBe("resource_conflict");
    const setting = { artifact: teamArtifact(guarded), principals: new Map(), env: {}, session: null };
    const { result } = await replayStore(store, setting);
    // Whom the policy refuses cannot be judged: neither its refusal nor what it let pass.
    expect(result).toMatchObject({ ok: true, problems: [], skipped: { principal: 3 } });
  });

  it("is verified and decided anew where shadow mode recorded what limits would have refused", async () => {
    const limited = { limits: "{ max_sessions: 1, max_total_steps: 1 }" };
    const store = await memory();
    const workflow = await team(limited, { store });
    const lead = await workflow.start("lead", { mode: "shadow" });
    const worker = await lead.handoff("worker", { mode: "shadow" });
    await lead.guard.beginStep();
    await worker.guard.beginStep();
    await run(worker, "look");
    expect(await verifyStore(store)).toMatchObject({ ok: true, problems: [] });
    const setting = { artifact: teamArtifact(limited), principals: new Map(), env: {}, session: null };
    const { result } = await replayStore(store, setting);
    expect(result).toMatchObject({ ok: true, problems: [], replayed: 4 });
    const asBefore = (data: string) => {
      const record = JSON.parse(data);
      return JSON.stringify(
        record.note?.step === true ? { ...record, note: { ...record.note, verdict: { kind: "allow" } } } : record,
      );
    };
    const older = await rewritten(
      store,
      inStream(`session/${worker.id}`, (content) =>
        relinked({
          ...content,
          records: content.records.map((record) => ({ ...record, data: asBefore(record.data) })),
        }),
      ),
    );
    expect((await replayStore(older, setting)).result.problems).toEqual([]);
  });

  it("has a snapshot with the state that its records lead to, which verifying and deciding anew both check", async () => {
    const forged = await withForgedSnapshot();
    const problems = [
      { session: null, workflow: WORKFLOW, index: 250, what: expect.stringContaining("another state") },
    ];
    expect((await verifyStore(forged)).problems).toEqual(problems);
    const setting = { artifact: teamArtifact(TEAM), principals: new Map(), env: {}, session: null };
    expect((await replayStore(forged, setting)).result.problems).toEqual(problems);
  });

  it("shows where it was changed", async () => {
    const lines = await linesOf(await recorded());
    const at = lines.findIndex((line) => line.includes('"kill_refused"'));
    const changed = lines.map((line, index) => (index === at ? line.replace('"why":"x"', '"why":"y"') : line));
    const report = await verifyExport(each(changed));
    expect(report.problems[0]).toMatchObject({ session: null, workflow: WORKFLOW, index: expect.any(Number) });
    const cut = await verifyExport(each(lines.filter((_, index) => index !== at)));
    expect(cut.problems.map(({ workflow }) => workflow)).toContain(WORKFLOW);
  });

  it("is signed", async () => {
    const store = await recorded();
    const ends: SessionEnd[] = [];
    await verifyStore(store, { onEnd: (end) => ends.push(end) });
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const lines = checkpointLines(ends, privateKey, 1);
    expect(lines.map((line) => Object.keys(JSON.parse(line))[0])).toEqual([
      "session",
      "session",
      "session",
      "workflow",
    ]);
    const check = () => new CheckpointCheck(lines, publicKey);
    expect(await verifyStore(store, { checkpoints: check() })).toMatchObject({ ok: true });
    const empty = await verifyStore(await memory(), { checkpoints: check() });
    expect(empty.problems.map(({ workflow }) => workflow)).toContain(WORKFLOW);
  });
});
