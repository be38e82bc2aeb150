import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { approvalIdOf, callIdOf, PAYMENTS, pay, paymentGuard, recordsOf, SESSION } from "../support/durable-guard.js";
import { artifactOf } from "../support/guard-artifact.js";
import { told } from "../support/guard-steps.js";
import { closing, SHARED_KINDS, sqliteUrl } from "../support/operated-stores.js";
import { REPOSITORY, waitForCli } from "../support/run-cli.js";
import { startWaitingGuard } from "../support/waiting-guard.js";

const ANN = ["--by", "ann", "--why", "the bank says so"];

/** Runs a command and reads what it printed as JSON. */
async function json(...args: readonly string[]) {
  const { code, stdout, stderr } = await waitForCli([...args, "--format", "json"]);
  return { code, stderr, printed: stdout === "" ? null : JSON.parse(stdout) };
}

/** The command line as it is installed. */
function contracts(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(REPOSITORY, "bin/contracts.js"), ...args], {
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

async function begun(url: string) {
  const store = await closing(url);
  return { store, guard: await paymentGuard(store, { requester: "carl" }) };
}

describe.each(SHARED_KINDS)("commands on a %s store", (_, newUrl) => {
  it("show what is in it, in the shapes that are documented", async () => {
    const url = await newUrl();
    const { guard } = await begun(url);
    await guard.propose(pay(20, { card: "4111-card" }));
    const approvalId = approvalIdOf(await guard.propose(pay(120)));
    const { printed: list } = await json("sessions", "list", url);
    expect(list).toEqual({
      sessions: [
        {
          ...{ id: SESSION, artifact: artifactOf(PAYMENTS).hash, agent: "example", phase: null, killed: false },
          ...{ toolCalls: 1, unsettled: 1, pendingApprovals: 1, updated: expect.any(Number) },
        },
      ],
    });
    expect((await json("sessions", "list", url, "--status", "killed")).printed).toEqual({ sessions: [] });
    expect((await json("sessions", "unsettled", url)).printed).toEqual({
      calls: [
        {
          ...{ session: SESSION, callId: "call_1", tool: "pay", status: "running", since: expect.any(Number) },
          ...{ origin: "proposed", fields: { amount: 20, to: "ann" } },
        },
      ],
    });
    const { printed: approvals } = await json("approvals", "list", url);
    const approval = {
      ...{ id: approvalId, session: SESSION, tool: "pay", context: [{ label: "Amount", value: 120 }] },
      ...{ rules: [{ file: "pay.yaml", line: expect.any(Number) }], requester: "carl", deadline: expect.any(Number) },
      ...{ approvedBy: [], needed: 1 },
    };
    expect(approvals).toEqual({ approvals: [approval] });
    expect((await json("approvals", "show", url, approvalId)).printed).toEqual({
      ...approval,
      arguments: { amount: 120, to: "ann" },
    });
    const { printed: shown } = await json("sessions", "show", url, SESSION);
    const { records, ...rest } = shown;
    expect(rest).toEqual({ ...guard.state(), id: SESSION, artifact: artifactOf(PAYMENTS).hash, approvals: [approval] });
    expect(records.map(({ n }: { n: number }) => n)).toEqual([1, 2, 3]);
  });

  it("change it, with who and why", async () => {
    const url = await newUrl();
    const { store, guard } = await begun(url);
    const [first, second] = [callIdOf(await guard.propose(pay(20))), callIdOf(await guard.propose(pay(30)))];
    const settle = (callId: string, as: string) => json("sessions", "settle", url, SESSION, callId, "--as", as, ...ANN);
    expect(await settle(first, "happened")).toEqual({ code: 0, stderr: "", printed: { accepted: true } });
    const refused = { accepted: false, reason: "already_settled" };
    expect(await settle(first, "did_not_happen")).toEqual({ code: 1, stderr: "", printed: refused });
    await settle(second, "did_not_happen");
    await guard.settle(second, { kind: "result", output: {} });
    expect(told(await guard.propose(pay(1)))).toBe("late_result_unacknowledged");
    const acknowledge = () => json("sessions", "acknowledge", url, SESSION, second, "--as", "did_not_happen", ...ANN);
    expect((await acknowledge()).printed).toEqual({ accepted: true });
    expect(await acknowledge()).toMatchObject({ code: 1, printed: { accepted: false, reason: "no_late_result" } });
    expect((await json("sessions", "label", url, SESSION, "hot", ...ANN)).printed).toEqual({ ok: true });
    expect(told(await guard.propose(pay(1)))).toBe("label_gated");
    expect((await json("sessions", "kill", url, SESSION, ...ANN)).printed).toEqual({ ok: true });
    expect(told(await guard.propose({ tool: "look", args: {} }))).toBe("session_killed");
    const signed = (await recordsOf(store)).flatMap(({ note }) => note?.operator ?? []);
    expect(signed).toEqual(Array.from({ length: 7 }, () => ({ by: "ann", why: "the bank says so" })));
  });

  it("answer approvals", async () => {
    const url = await newUrl();
    const { guard } = await begun(url);
    const answer = (verb: string, id: string, by = "ann") =>
      json("approvals", verb, url, id, "--by", by, "--why", "it fits");
    const one = approvalIdOf(await guard.propose(pay(120)));
    const own = { kind: "refused", reason: "approver_is_requester" };
    expect(await answer("approve", one, "carl")).toEqual({ code: 1, stderr: "", printed: own });
    expect(await answer("deny", one)).toEqual({ code: 0, stderr: "", printed: { kind: "recorded" } });
    expect((await answer("approve", one)).printed).toEqual({ kind: "refused", reason: "approval_used" });
    expect(told(await guard.resume(one))).toBe("approval_denied");
  });

  it("say that a request is denied, not how many approved it", async () => {
    const url = await newUrl();
    const { guard } = await begun(url);
    const id = approvalIdOf(await guard.propose(pay(120)));
    const denied = await waitForCli(["approvals", "deny", url, id, ...ANN]);
    expect(denied).toMatchObject({ code: 0, stdout: `recorded for ${id}: denied\n` });
  });

  it("reach a guard in another process that waits", { timeout: 60_000 }, async () => {
    const url = await newUrl();
    const guard = await startWaitingGuard({ url, artifact: artifactOf(PAYMENTS), sessionId: SESSION });
    guard.call("pay", pay(120).args);
    const { asked } = await guard.next();
    const approve = () => contracts("approvals", "approve", url, String(asked), ...ANN);
    expect(approve()).toEqual({ status: 0, stdout: `recorded for ${asked}: 1 of 1 approvals\n`, stderr: "" });
    expect(await guard.next()).toEqual({ sent: "pay" });
    expect(approve()).toEqual({ status: 1, stdout: "refused: approval_used\n", stderr: "" });
    expect(contracts("sessions", "label", url, SESSION, "hot", ...ANN).status).toBe(0);
    guard.call("pay", pay(1).args);
    expect(await guard.next()).toEqual({ refused: "label_gated" });
    expect(contracts("sessions", "kill", url, SESSION, ...ANN).status).toBe(0);
    guard.call("look", {});
    expect(await guard.next()).toEqual({ refused: "session_killed" });
  });
});

describe("the output that an operator gives", () => {
  it("is read from a file", async () => {
    const url = sqliteUrl();
    const { store, guard } = await begun(url);
    const callId = callIdOf(await guard.propose(pay(20)));
    const cwd = dirname(url.slice("sqlite:".length));
    writeFileSync(join(cwd, "bad.json"), "{");
    writeFileSync(join(cwd, "output.json"), '{ "receipt": "r-1" }');
    const settle = (as: string, file: string) =>
      waitForCli(["sessions", "settle", url, SESSION, callId, "--as", as, "--output", file, ...ANN], { cwd });
    const before = (await recordsOf(store)).length;
    expect(await settle("happened", "bad.json")).toMatchObject({
      code: 2,
      stderr: "contracts: `bad.json` holds no JSON\n",
    });
    expect((await settle("happened", "none.json")).stderr).toBe(
      "contracts: `none.json` cannot be read: it does not exist\n",
    );
    expect(await settle("did_not_happen", "output.json")).toMatchObject({ code: 2 });
    expect(await recordsOf(store)).toHaveLength(before);
    expect(await settle("happened", "output.json")).toEqual({
      ...{ code: 0, stderr: "" },
      stdout: `${callId} is recorded as happened\n`,
    });
  });
});

describe("mistakes on the command line", () => {
  it.each<[string, readonly string[], RegExp]>([
    ["a session that is not there", ["sessions", "show", "URL", "ghost"], /the store has no session `ghost`/],
    ["an approval that is not there", ["approvals", "show", "URL", "approval_9@ticket-7"], /was never asked for/],
    ["no id of an approval", ["approvals", "approve", "URL", "x", ...ANN], /`x` is no id of an approval/],
    ["a store in memory", ["sessions", "list", "memory:"], /gone with its process/],
    ["a file that is not there", ["sessions", "list", "sqlite:./none.db"], /there is no file of the store/],
    ["an unknown kind of store", ["sessions", "list", "mysql://u:s3cret@h/d"], /no such kind of store/],
    ["nobody", ["sessions", "kill", "URL", SESSION, "--why", "x"], /required option '--by <name>'/],
    ["an empty name", ["sessions", "kill", "URL", SESSION, "--by", " ", "--why", "x"], /who does it and why/],
    ["a name that cannot be seen", ["sessions", "kill", "URL", SESSION, "--by", "\u200b", "--why", "x"], /who does it/],
    ["a reason that cannot be seen", ["sessions", "kill", "URL", SESSION, "--by", "a", "--why", "\u2800"], /and why/],
    ["no reason", ["approvals", "deny", "URL", "approval_1@ticket-7", "--by", "ann"], /required option '--why <text>'/],
    ["an empty label", ["sessions", "label", "URL", SESSION, "", ...ANN], /argument .label. is empty/],
    [
      "an outcome that is none",
      ["sessions", "settle", "URL", SESSION, "call_1", "--as", "x", ...ANN],
      /Allowed choices/,
    ],
    ["no outcome", ["sessions", "settle", "URL", SESSION, "call_1", ...ANN], /required option '--as <outcome>'/],
    ["a limit that is none", ["sessions", "list", "URL", "--limit", "0"], /whole number from 1 on/],
    ["a status that is none", ["sessions", "list", "URL", "--status", "dead"], /Allowed choices are active, killed/],
  ])("are explained: %s", async (_, args, message) => {
    const url = sqliteUrl();
    const { store } = await begun(url);
    const before = (await recordsOf(store)).length;
    const cwd = dirname(url.slice("sqlite:".length));
    const { code, stdout, stderr } = await waitForCli(
      args.map((arg) => (arg === "URL" ? url : arg)),
      { cwd },
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/s3cret|at .*\.js/);
    expect(await recordsOf(store)).toHaveLength(before);
    expect(existsSync(join(cwd, "none.db"))).toBe(false);
  });

  it("do not harm a terminal", async () => {
    const url = sqliteUrl();
    const store = await closing(url);
    const sessionId = "\u001b[2Jevil\n::error::x";
    const guard = await paymentGuard(store, { sessionId });
    await guard.propose(pay(120, { to: "\u001b[31m" }));
    await guard.addLabel("\u001b]0;title\u0007");
    const id = `approval_1@${sessionId}`;
    const outputs = [
      await waitForCli(["sessions", "list", url]),
      await waitForCli(["sessions", "show", url, sessionId]),
      await waitForCli(["sessions", "show", url, `${sessionId}?`]),
      await waitForCli(["sessions", "show", url, sessionId, "--format", "json"]),
      await waitForCli(["approvals", "list", url]),
      await waitForCli(["approvals", "show", url, id]),
      await waitForCli(["approvals", "approve", url, id, "--by", "\u001b[1m", "--why", "\u001b[2m"]),
      await waitForCli(["sessions", "unsettled", url]),
      await waitForCli(["sessions", "kill", url, sessionId, ...ANN]),
    ];
    const text = outputs.map(({ stdout, stderr }) => stdout + stderr).join("");
    expect(text).toContain("evil");
    expect(text).not.toMatch(/(?!\n)\p{Cc}|^::/mu);
  });
});

describe("a sealed session", () => {
  it("is listed by what its head shows; whatever needs its records says that it is sealed", async () => {
    const url = sqliteUrl();
    const seal = (text: string) => Buffer.from(text).toString("base64");
    const open = (text: string) => Buffer.from(text, "base64").toString();
    const guard = await paymentGuard(await closing(url, { seal, open }));
    await guard.propose(pay(20));
    await guard.propose(pay(120));
    expect((await json("sessions", "list", url)).printed).toMatchObject({ sessions: [{ id: SESSION, unsettled: 1 }] });
    expect(await json("approvals", "list", url)).toEqual({
      ...{ code: 1, printed: { approvals: [] } },
      stderr: expect.stringContaining("not listed: the session `ticket-7` is sealed"),
    });
    expect(await json("sessions", "unsettled", url)).toMatchObject({ code: 1, printed: { calls: [] } });
    expect(await json("sessions", "kill", url, SESSION, ...ANN)).toMatchObject({
      ...{ code: 2, printed: null },
      stderr: expect.stringContaining("is sealed"),
    });
  });
});

describe("text for people", () => {
  it("shows a session, its unsettled calls and its approvals", async () => {
    const url = sqliteUrl();
    const { guard } = await begun(url);
    await guard.propose(pay(20));
    await guard.propose(pay(120));
    const shown = (await waitForCli(["sessions", "show", url, SESSION])).stdout;
    expect(shown).toMatch(/^session {3}ticket-7, active$/m);
    expect(shown).toMatch(/^ {2}call_1 pay, running$/m);
    expect(shown).toMatch(/ {2}2 .* reserved pay call_1 allow$/m);
    expect(shown).toMatch(/ {2}3 .* approval_requested pay approval_2@ticket-7 approval_required$/m);
    expect(shown).not.toContain('"to"');
    const unsettled = (await waitForCli(["sessions", "unsettled", url, "--session", SESSION])).stdout;
    expect(unsettled).toMatch(/^ticket-7 {2}call_1 {2}pay .* proposed {2}\{"amount":20,"to":"ann"\}$/m);
    const approvals = (await waitForCli(["approvals", "list", url])).stdout;
    expect(approvals).toMatch(/^Amount {7}120$/m);
    expect(approvals).not.toContain('"to"');
    expect((await waitForCli(["approvals", "show", url, "approval_2@ticket-7"])).stdout).toContain(
      '{"amount":120,"to":"ann"}',
    );
  });
});
