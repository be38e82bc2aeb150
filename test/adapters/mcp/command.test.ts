import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { waitForCli } from "../../support/run-cli.js";
import { call, callsIn, folderOfTest, names, reasonOf } from "./harness.js";

const CONTRACTS = fileURLToPath(new URL("../../../bin/contracts.js", import.meta.url));
const DESK = fileURLToPath(new URL("desk-server.mjs", import.meta.url));
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

/** The pack that is written from the server, once for all tests. */
const written = mkdtempSync(join(tmpdir(), "mcp-pack-"));
beforeAll(() => {
  execFileSync(process.execPath, [CONTRACTS, "init", "pack", "--mcp", "--", process.execPath, DESK], { cwd: written });
});
afterAll(() => rmSync(written, { recursive: true, force: true }));

let folder = "";
beforeEach(() => {
  folder = folderOfTest();
  cpSync(written, folder, { recursive: true });
});

function args(...options: readonly string[]): string[] {
  return [CONTRACTS, "mcp", "--pack", "pack", ...options, "--", process.execPath, DESK];
}

async function connected(...options: readonly string[]): Promise<Client> {
  const env = { PATH: process.env.PATH ?? "", DESK_LOG: join(folder, "log") };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: args(...options),
    cwd: folder,
    env,
    stderr: "ignore",
  });
  const client = new Client({ name: "official", version: "1" });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** The command, spoken to line by line. */
function raw(...options: readonly string[]) {
  const child = spawn(process.execPath, args(...options), { cwd: folder, stdio: ["pipe", "pipe", "pipe"] });
  const printed = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    printed.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    printed.stderr += chunk;
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const send = (message: unknown) => child.stdin.write(`${JSON.stringify(message)}\n`);
  send(INITIALIZE);
  send({ jsonrpc: "2.0", method: "notifications/initialized" });
  return {
    child,
    printed,
    send: (id: number, name: string) =>
      send({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: {} } }),
    exited: once(child, "exit"),
  };
}

interface Unsettled {
  readonly tool: string;
  readonly status: string;
}

/** What the store says of the session. */
async function stored(...words: readonly string[]): Promise<string> {
  const { stdout } = await waitForCli(["sessions", ...words, "--format", "json"], { cwd: folder });
  return stdout;
}

async function unsettled(): Promise<readonly Unsettled[]> {
  const text = await stored("unsettled", "sqlite:guard.db", "--session", "ticket-7");
  const { calls }: { readonly calls: readonly Unsettled[] } = JSON.parse(text);
  return calls;
}

describe("contracts mcp", () => {
  it("guards the tools of a server whose pack was written from it", async () => {
    writeFileSync(join(folder, "pack", "pay.yaml"), `tool: pay\nside_effect: financial\ngate: block\n`);
    const client = await connected();
    expect(await call(client, "look")).toMatchObject({ content: [{ text: "an order" }] });
    expect(reasonOf(await call(client, "pay", { n: 1 }))).toBe("gate_blocked");
    expect(await names(client)).not.toContain("pay");
    expect(callsIn(join(folder, "log"))).toEqual([["look", {}]]);
  });

  it("refuses a tool whose description in tools.json is another one", async () => {
    const file = join(folder, "pack", "tools.json");
    const tools = [{ name: "look", description: "Something else", inputSchema: { type: "object" } }];
    writeFileSync(file, JSON.stringify(tools));
    const client = await connected();
    expect(reasonOf(await call(client, "look"))).toBe("tool_definition_changed");
  });

  it("continues the session that a flag names, in a store", async () => {
    const flags = ["--store", "sqlite:guard.db", "--session", "ticket-7"];
    await call(await connected(...flags), "look");
    await call(await connected(...flags), "look");
    expect(JSON.parse(await stored("show", "sqlite:guard.db", "ticket-7"))).toMatchObject({ toolCalls: 2 });
  });

  it("writes nothing but the protocol, and ends with its client", async () => {
    const { child, printed, send, exited } = raw();
    send(2, "look");
    await expect.poll(() => printed.stdout.split("\n").length, { timeout: 15_000 }).toBe(3);
    child.stdin.end();
    expect(await exited).toEqual([0, null]);
    for (const line of printed.stdout.trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("jsonrpc", "2.0");
    expect(printed.stderr).toMatch(/^contracts: session [0-9a-f-]{36}\n$/);
  });

  it("ends with exit code 1 when the server ends, after the call was settled and answered", async () => {
    const { printed, send, exited } = raw("--store", "sqlite:guard.db", "--session", "ticket-7");
    send(2, "crash");
    expect(await exited).toEqual([1, null]);
    expect(printed.stdout).toContain('"isError":true');
    expect(printed.stderr).toContain("the MCP server has ended");
    expect(await unsettled()).toMatchObject([{ tool: "crash", status: "indeterminate" }]);
  });

  it("leaves a call unsettled that it was killed in", async () => {
    const { child, printed, send, exited } = raw("--store", "sqlite:guard.db", "--session", "ticket-7");
    await expect.poll(() => printed.stdout, { timeout: 15_000 }).not.toBe("");
    send(2, "hang");
    await expect.poll(unsettled).toMatchObject([{ tool: "hang", status: "running" }]);
    child.kill("SIGKILL");
    await exited;
    expect(await unsettled()).toMatchObject([{ tool: "hang" }]);
  });

  it("counts a call whose client has gone", async () => {
    const { child, printed, send, exited } = raw("--store", "sqlite:guard.db", "--session", "ticket-7");
    await expect.poll(() => printed.stdout, { timeout: 15_000 }).not.toBe("");
    send(2, "hang");
    await expect.poll(unsettled).toMatchObject([{ tool: "hang", status: "running" }]);
    child.stdin.end();
    expect(await exited).toEqual([0, null]);
    expect(await unsettled()).toMatchObject([{ tool: "hang", status: "indeterminate" }]);
  });

  it.each([
    [
      "a server that does not exist",
      ["--pack", "pack", "--", "no-such-server"],
      "cannot be reached: spawn no-such-server ENOENT",
    ],
    ["no server", ["--pack", "pack"], "give the command of the MCP server after `--`, or its --url"],
    ["two servers", ["--pack", "pack", "--url", "http://127.0.0.1:9/", "--", "x"], "not both"],
    ["approvals that nobody can give", ["--pack", "pack", "--approver", "manual", "--", "x"], "needs a --store"],
    ["a principal that is not JSON", ["--pack", "pack", "--principal", "pack/look.yaml", "--", "x"], "is not JSON"],
  ])("says in one line what is wrong: %s", (_, options, message) => {
    let stderr = "";
    try {
      execFileSync(process.execPath, [CONTRACTS, "mcp", ...options], { cwd: folder, stdio: "pipe" });
    } catch (cause) {
      stderr = String(Reflect.get(Object(cause), "stderr"));
    }
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});
