import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { encodeArtifact } from "../../../src/artifact/encode.js";
import { artifactOf } from "../../support/guard-artifact.js";
import { waitForCli } from "../../support/run-cli.js";
import { BUDGET, PAY, plainContract } from "../agent-pack.js";

const CONTRACTS = fileURLToPath(new URL("../../../bin/contracts.js", import.meta.url));
const ADAPTERS = fileURLToPath(new URL("../../../docs/adapters.md", import.meta.url));
const STORE = "sqlite:./guard.db";
const PACK = `
#== session.yaml (with the required fields)
schema_version: "1.1"
${BUDGET}
${PAY}allowed_errors: [{ code: tool_error, message_regex: "^declined", outcome: not_executed }]
${plainContract("look")}`;

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hook-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "pack.json"), encodeArtifact(artifactOf(PACK)));
});

type Fields = Readonly<Record<string, unknown>>;

function eventText(name: string, fields: Fields): string {
  return JSON.stringify({
    session_id: "s",
    transcript_path: "/t",
    cwd: "/",
    permission_mode: "default",
    hook_event_name: name,
    tool_name: "pay",
    tool_use_id: "toolu_1",
    ...fields,
  });
}

function hook(stdin: string, ...options: readonly string[]) {
  return waitForCli(["hook", "--pack", "pack.json", "--store", STORE, ...options], { cwd: folder, stdin });
}

const asked = (id: string, n: unknown, ...options: readonly string[]) =>
  hook(eventText("PreToolUse", { tool_use_id: id, tool_input: { n } }), ...options);
const returned = (id: string, n: unknown, output: unknown = { ok: true }) =>
  hook(eventText("PostToolUse", { tool_use_id: id, tool_input: { n }, tool_response: output }));
const failed = (id: string, n: unknown, fields: Fields) =>
  hook(eventText("PostToolUseFailure", { tool_use_id: id, tool_input: { n }, ...fields }));

async function session(): Promise<{ toolCalls: number; aggregates: { paid: number }; unsettled: unknown[] }> {
  const { stdout } = await waitForCli(["sessions", "show", STORE, "s", "--format", "json"], { cwd: folder });
  return JSON.parse(stdout);
}

async function pendingApproval(): Promise<string> {
  for (let tries = 0; tries < 200; tries++) {
    const { stdout, code } = await waitForCli(["approvals", "list", STORE, "--format", "json"], { cwd: folder });
    const [request] = code === 0 ? JSON.parse(stdout).approvals : [];
    if (request !== undefined) return request.id;
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error("nobody asked for an approval");
}

const LET_THROUGH = { code: 0, stdout: "", stderr: "" };

describe("contracts hook", () => {
  it("lets a call through, keeps it reserved until its result comes, and counts it", async () => {
    expect(await asked("a", 40)).toEqual(LET_THROUGH);
    expect((await session()).unsettled).toHaveLength(1);
    expect(await returned("a", 40)).toEqual(LET_THROUGH);
    expect(await session()).toMatchObject({ unsettled: [], toolCalls: 1, aggregates: { paid: 40 } });
  });

  it("refuses a call with exit code 2, and says why where the model reads it", async () => {
    const { code, stdout, stderr } = await asked("a", 61);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(
      /^refused by contract \(input_invariant_failed\).*because: Nobody pays more than 60 at once/,
    );
  });

  it("remembers across processes what earlier calls used up", async () => {
    for (const id of ["a", "b"]) expect(await asked(id, 40)).toEqual(LET_THROUGH);
    await returned("a", 40);
    const { code, stderr } = await asked("c", 40);
    expect(code).toBe(2);
    expect(stderr).toContain("aggregate_exceeded");
  });

  it("reports an output that breaks a rule, and counts its call", async () => {
    await asked("a", 40);
    const { code, stderr } = await returned("a", 40, { ok: false });
    expect(code).toBe(2);
    expect(stderr).toContain("pay: its output is rejected");
    expect(await session()).toMatchObject({ unsettled: [], aggregates: { paid: 40 } });
  });

  it.each([
    ["an error leaves it open", { error: "socket hang up" }, 1, 40],
    ["an interrupt leaves it open", { error: "declined", is_interrupt: true }, 1, 40],
    ["an error that the contract declares releases it", { error: "declined: no funds" }, 0, 0],
  ])("settles a call that failed: %s", async (_, fields, open, paid) => {
    await asked("a", 40);
    expect(await failed("a", 40, fields)).toEqual(LET_THROUGH);
    const { unsettled, aggregates } = await session();
    expect({ open: unsettled.length, paid: aggregates.paid }).toEqual({ open, paid });
  });

  it("releases a call that the agent's own permissions refused", async () => {
    await asked("a", 40);
    expect(await hook(eventText("PermissionDenied", { tool_use_id: "a", tool_input: { n: 40 } }))).toEqual(LET_THROUGH);
    expect(await session()).toMatchObject({ unsettled: [], aggregates: { paid: 0 } });
  });

  it("lets one id through once", async () => {
    await asked("a", 40);
    const { code, stderr } = await asked("a", 40);
    expect(code).toBe(2);
    expect(stderr).toContain("register it once");
    await returned("a", 40);
    expect((await asked("a", 40)).stderr).toContain("call_key_used");
    // A second report of the result changes nothing.
    expect(await returned("a", 40)).toEqual(LET_THROUGH);
    expect(await session()).toMatchObject({ toolCalls: 1, aggregates: { paid: 40 } });
  });

  it("keeps a call open that ran with other arguments than were judged", async () => {
    await asked("a", 10);
    const { code, stderr } = await returned("a", 60);
    expect(code).toBe(2);
    expect(stderr).toContain("other arguments than were judged");
    expect((await session()).unsettled).toMatchObject([{ status: "indeterminate" }]);
  });

  it("reports a call that ran without having been judged, and counts it where it may", async () => {
    const counted = await returned("a", 40);
    expect(counted).toMatchObject({ code: 2, stderr: expect.stringContaining("it is counted") });
    const refused = await returned("b", 90);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("it is not counted: refused by contract"),
    });
    const unasked = await returned("c", 55);
    expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining("not counted") });
    expect(await session()).toMatchObject({ unsettled: [], aggregates: { paid: 40 } });
  });

  it("refuses tools without a contract, unless it is told otherwise", async () => {
    const other = eventText("PreToolUse", { tool_name: "Read", tool_input: {} });
    expect(await hook(other)).toMatchObject({ code: 2, stderr: expect.stringContaining("unmatched_tool") });
    expect(await hook(other, "--unmatched", "allow", "--session", "t")).toEqual(LET_THROUGH);
  });

  it("settles calls of a session that was killed meanwhile, and refuses new ones", async () => {
    await asked("a", 40);
    const kill = ["sessions", "kill", STORE, "s", "--by", "ann", "--why", "enough"];
    expect((await waitForCli(kill, { cwd: folder })).code).toBe(0);
    expect(await asked("b", 1)).toMatchObject({ code: 2, stderr: expect.stringContaining("session_killed") });
    expect(await returned("a", 40)).toEqual(LET_THROUGH);
    expect((await session()).unsettled).toEqual([]);
  });
});

describe("the settings of an agent in docs/adapters.md", () => {
  it("have commands that judge its events", async () => {
    const [, json = ""] = /```json\n(\{\n {2}"hooks".*?)```/s.exec(readFileSync(ADAPTERS, "utf8")) ?? [];
    const { hooks } = JSON.parse(json);
    mkdirSync(join(folder, "contracts"));
    renameSync(join(folder, "pack.json"), join(folder, "contracts/shop"));
    const ran = async (name: string, fields: Fields) => {
      const [, , ...words] = hooks[name][0].hooks[0].command.split(" ");
      return waitForCli(words, { cwd: folder, stdin: eventText(name, { tool_input: { n: 40 }, ...fields }) });
    };
    expect(await ran("PreToolUse", {})).toEqual(LET_THROUGH);
    expect(await ran("PostToolUse", { tool_response: { ok: true } })).toEqual(LET_THROUGH);
    expect(await ran("PreToolUse", { tool_use_id: "toolu_2" })).toEqual(LET_THROUGH);
    expect(await ran("PostToolUseFailure", { tool_use_id: "toolu_2", error: "reset" })).toEqual(LET_THROUGH);
    expect(await session()).toMatchObject({ unsettled: [{ status: "indeterminate" }], aggregates: { paid: 80 } });
  });
});

describe("an approval of a hook's call", () => {
  const answer = async (verb: string) => {
    const id = await pendingApproval();
    return waitForCli(["approvals", verb, STORE, id, "--by", "ann", "--why", "asked"], { cwd: folder });
  };

  it("is denied without an approver", async () => {
    expect(await asked("a", 50)).toMatchObject({ code: 2, stderr: expect.stringContaining("approval") });
  });

  it.each([
    ["approve", 0, 1],
    ["deny", 2, 0],
  ])("is waited for: %s", async (verb, code, open) => {
    const waiting = asked("a", 50, "--approver", "manual", "--wait", "20");
    expect((await answer(verb)).code).toBe(0);
    expect((await waiting).code).toBe(code);
    expect((await session()).unsettled).toHaveLength(open);
  });

  it("is not waited for without end: the call is not made, and nobody can approve it later", async () => {
    const waiting = asked("a", 50, "--approver", "manual", "--wait", "0.5");
    const id = await pendingApproval();
    expect(await waiting).toMatchObject({ code: 2, stderr: expect.stringContaining("approval_denied") });
    const late = await waitForCli(["approvals", "approve", STORE, id, "--by", "ann", "--why", "yes"], { cwd: folder });
    expect(late.code).not.toBe(0);
    expect((await session()).unsettled).toEqual([]);
  });

  it("is asked for once for one call", async () => {
    const waiting = asked("a", 50, "--approver", "manual", "--wait", "20");
    await pendingApproval();
    // The first process ended without an answer, say, and the agent asks again.
    const again = await asked("a", 50, "--approver", "manual");
    expect(again).toMatchObject({ code: 2, stderr: expect.not.stringContaining("let through") });
    await answer("deny");
    expect((await waiting).code).toBe(2);
  });
});

describe("a hook that cannot judge", () => {
  const call = { tool_input: { n: 1 } };
  it.each<[string, string, string]>([
    ["no JSON", "{", "not JSON"],
    ["no object", "[]", "not an object"],
    ["no event", "{}", "hook_event_name"],
    ["another event", eventText("Stop", call), "hook_event_name"],
    ["no tool", eventText("PreToolUse", { ...call, tool_name: 7 }), "tool_name"],
    ["no id", eventText("PreToolUse", { ...call, tool_use_id: "" }), "tool_use_id"],
    ["an id that is too long", eventText("PreToolUse", { ...call, tool_use_id: "x".repeat(257) }), "tool_use_id"],
    ["no session", eventText("PreToolUse", { ...call, session_id: null }), "session_id"],
    ["arguments that are no object", eventText("PreToolUse", { tool_input: [1] }), "tool_input"],
    ["no arguments", eventText("PreToolUse", {}), "tool_input"],
    ["no output", eventText("PostToolUse", call), "tool_response"],
  ])("refuses: %s", async (_, stdin, what) => {
    const { code, stdout, stderr } = await hook(stdin);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(what);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it.each<[string, readonly string[]]>([
    ["a pack that does not exist", ["--pack", "nowhere", "--store", STORE]],
    ["a store that cannot be opened", ["--pack", "pack.json", "--store", "sqlite:./no/such/guard.db"]],
    ["a store that forgets", ["--pack", "pack.json", "--store", "memory:"]],
    ["a principal that is no JSON", ["--pack", "pack.json", "--store", STORE, "--principal", "pack.txt"]],
    ["no store", ["--pack", "pack.json"]],
    ["an unknown option", ["--pack", "pack.json", "--store", STORE, "--let-through"]],
    ["another artifact than the session has", ["--pack", "other.json", "--store", STORE]],
  ])("refuses with exit code 2: %s", async (_, options) => {
    writeFileSync(join(folder, "pack.txt"), "none");
    writeFileSync(join(folder, "other.json"), encodeArtifact(artifactOf(PACK.replace("lte: 100", "lte: 900"))));
    await asked("a", 1);
    const { code, stdout } = await waitForCli(["hook", ...options], {
      cwd: folder,
      stdin: eventText("PreToolUse", { tool_use_id: "b", ...call }),
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  it("is a process that ends with exit code 2", async () => {
    const args = [CONTRACTS, "hook", "--pack", "pack.json", "--store", STORE];
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ["pipe", "ignore", "ignore"] });
    child.stdin.end(eventText("PreToolUse", { tool_input: { n: 61 } }));
    expect(await once(child, "exit")).toEqual([2, null]);
  });
});
