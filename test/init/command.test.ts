import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { REPOSITORY, waitForCli } from "../support/run-cli.js";

const SERVER = `${REPOSITORY}node_modules/@modelcontextprotocol/server-memory/dist/index.js`;
const RECORDED = `${REPOSITORY}../shared/data/tau2/retail`;

const TOOLS = ["get_order", "issue_refund", "send_mail"].map((name) => ({
  name,
  input_schema: { type: "object", properties: { id: { type: "string" }, amount: { type: "number" } } },
}));

/** A server that never ends its first line. */
const ENDLESS_LINE = `
process.stdout.on("error", () => process.exit());
const write = () => process.stdout.write("x".repeat(2 ** 20), write);
write();`;

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "init-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(...args: readonly string[]) {
  return waitForCli(args, {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", MEMORY_FILE_PATH: join(folder, "memory") },
  });
}

function file(name: string, value: unknown): string {
  writeFileSync(join(folder, name), typeof value === "string" ? value : JSON.stringify(value));
  return name;
}

function contract(name: string): string {
  return readFileSync(join(folder, "pack", `${name}.yaml`), "utf8");
}

/** Every draft becomes a rule. */
function uncomment(): void {
  for (const name of readdirSync(join(folder, "pack")).filter((each) => each.endsWith(".yaml"))) {
    const path = join(folder, "pack", name);
    const [whole, drafts] = readFileSync(path, "utf8").split(/^# Held in all .*\n/m);
    writeFileSync(path, `${whole}${(drafts ?? "").replaceAll(/^# /gm, "")}`);
  }
}

function session(at: number) {
  const id = `o${at}`;
  return {
    calls: [
      { tool: "get_order", arguments: { id }, output: { id, total: 10 * at } },
      { tool: "issue_refund", arguments: { id, amount: at }, output: { ok: true } },
      { tool: "send_mail", arguments: { id, kind: at % 2 === 0 ? "short" : "long" }, output: {} },
    ],
  };
}

describe("contracts init", () => {
  it("writes a pack that compiles, a read tool in three lines, every guess marked", async () => {
    const { code, stdout } = await run("init", "pack", "--from", file("tools.json", TOOLS));
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "pack: contracts of 3 tools; every guess is marked `# review`\nnext: contracts test pack\n",
    });
    expect(contract("get_order").split("\n").slice(1)).toEqual([
      "tool: get_order",
      'side_effect: read # review: guessed from the word "get" of its name',
      "",
    ]);
    expect(await run("check", "pack")).toMatchObject({ code: 0, stderr: "" });
    expect((await run("test", "pack")).stdout).toBe("3 tests: 3 passed, 0 failed\n");
  });

  it("proposes what holds in all recorded sessions, which the rules then accept", async () => {
    const sessions = Array.from({ length: 12 }, (_, at) => session(at + 1));
    file("t.jsonl", sessions.map((each) => `${JSON.stringify(each)}\n`).join(""));
    await run("init", "pack", "--from", file("tools.json", TOOLS), "--traces", "t.jsonl");
    expect(contract("issue_refund")).toContain(
      [
        '# Held in all 12 recorded sessions. Remove the "# " of what is meant as a rule:',
        "# preconditions:",
        "#   - requires_prior_tool: get_order",
        "# transitions:",
        "#   valid_in_phases: [after_get_order]",
        "# argument_value_invariants:",
        '#   - { path: "$.id", ref: get_order_id }',
        '#   - { path: "$.amount", gte: 1, lte: 12 }',
      ].join("\n"),
    );
    expect(contract("send_mail")).toContain('#   - { path: "$.kind", one_of: ["long", "short"] }');
    expect(contract("get_order")).toContain('#   - { name: get_order_id, source: output, path: "$.id" }');
    expect(await run("replay", "pack", "t.jsonl")).toMatchObject({ code: 0 });
    expect((await run("test", "pack")).stdout).toBe("4 tests: 4 passed, 0 failed\n");
    expect(await run("test", "pack", "--only", "recorded session 1")).toMatchObject({ code: 0 });
    uncomment();
    expect(await run("check", "pack")).toMatchObject({ code: 0, stderr: "" });
    expect(await run("replay", "pack", "t.jsonl")).toMatchObject({ code: 0 });
    file("other.jsonl", { calls: session(1).calls.slice(1) });
    expect((await run("replay", "pack", "other.jsonl")).stdout).toContain("2 refused");
  });

  it("compares nothing with an output that was never seen", async () => {
    const lost = { tool: "issue_refund", arguments: { id: "o" }, error: { status: 503 } };
    const sessions = Array.from({ length: 4 }, (_, at) => ({
      calls: [
        { tool: "issue_refund", arguments: { id: "o" }, output: { refund: `r${at}` } },
        ...(at === 0 ? [lost] : []),
        { tool: "send_mail", arguments: { id: `r${at}` }, output: {} },
      ],
    }));
    file("t.jsonl", sessions.map((each) => `${JSON.stringify(each)}\n`).join(""));
    await run("init", "pack", "--from", file("tools.json", TOOLS), "--traces", "t.jsonl");
    expect(contract("send_mail")).toContain("#   - requires_prior_tool: issue_refund\n");
    uncomment();
    expect(await run("replay", "pack", "t.jsonl")).toMatchObject({ code: 0 });
  });

  it("proposes nothing about tools that are not offered, whatever their names in the record are", async () => {
    const unknown = { tool: "zz\ngate: allow\n#", arguments: {}, output: { id: "o1" } };
    const sessions = Array.from({ length: 4 }, (_, at) => ({ calls: [unknown, ...session(at + 1).calls] }));
    file("t.jsonl", sessions.map((each) => `${JSON.stringify(each)}\n`).join(""));
    await run("init", "pack", "--from", file("tools.json", TOOLS), "--traces", "t.jsonl");
    expect(contract("issue_refund")).toContain("#   - requires_prior_tool: get_order\n# transitions:");
    const files = readdirSync(join(folder, "pack")).filter((name) => name.endsWith(".yaml"));
    const lines = files.flatMap((name) => readFileSync(join(folder, "pack", name), "utf8").split("\n"));
    expect(lines.filter((line) => /zz|gate/.test(line))).toEqual([]);
  });

  it("takes no test and no bound from what cannot be written down", async () => {
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    const call = (rest: string) => `{"tool":"get_order","arguments":{"order_id":"o","n":1e400}${rest}}`;
    const lines = [`{"calls":[${[call(""), call(""), call("")].join(",")}]}`];
    lines.push(`{"calls":[{"tool":"get_order","arguments":{"order_id":"o"},"output":${deep}}]}`);
    writeFileSync(join(folder, "t.jsonl"), lines.join("\n"));
    const { code } = await run("init", "pack", "--from", file("tools.json", TOOLS), "--traces", "t.jsonl");
    expect(code).toBe(0);
    expect(contract("get_order")).not.toContain("Infinity");
    expect(await run("test", "pack")).toMatchObject({ code: 0 });
  });

  it("asks a real MCP server for its tools, and believes no annotation that promises less than the name", async () => {
    const { code, stderr } = await run("init", "pack", "--mcp", "--", process.execPath, SERVER);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(contract("delete_entities")).toContain("side_effect: destructive");
    expect(contract("search_nodes")).toContain("side_effect: read");
    expect(await run("check", "pack")).toMatchObject({ code: 0 });
    expect((await run("test", "pack")).stdout).toMatch(/^\d+ tests: \d+ passed, 0 failed\n$/);
  });

  it("ends a server that goes on when it is asked to end", async () => {
    const server = `
      process.on("SIGTERM", () => {});
      setInterval(() => {}, 1000);
      require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id } = JSON.parse(line);
        const tools = [{ name: "get_order", inputSchema: { type: "object" } }];
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: { tools } }));
        require("node:fs").writeFileSync("pid", String(process.pid));
      });`;
    const { code } = await run("init", "pack", "--mcp", "--", process.execPath, "-e", server);
    expect(code).toBe(0);
    const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });

  it("answers what a server asks meanwhile, under the number of its own question too", async () => {
    const server = `
      const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
      const asked = [];
      require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id, method, result, error } = JSON.parse(line);
        if (method === "initialize") {
          asked.push(id);
          send({ id, method: "ping" });
        } else if (method === undefined && result !== undefined) send({ id: "r", method: "roots/list" });
        else if (error?.code === -32601) send({ id: asked[0], result: {} });
        else if (method === "tools/list") send({ id, result: { tools: [{ name: "get_order", inputSchema: {} }] } });
      });`;
    const { code, stderr } = await run("init", "pack", "--mcp", "--", process.execPath, "-e", server);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  it("excludes patterns that no guard can match, and says so", async () => {
    const email = { type: "string", pattern: "^(?!\\.)[a-z.]+@[a-z.]+$" };
    const properties = { email, cc: { type: "array", items: email }, name: { type: "string", pattern: "^[a-z]+$" } };
    const tools = [{ name: "invite", input_schema: { type: "object", properties } }, ...TOOLS];
    const { code, stderr } = await run("init", "pack", "--from", file("tools.json", tools));
    const note =
      "note: 2 patterns of the definitions cannot be judged: see `schema_derived_exclude` of the contracts\n";
    expect({ code, stderr }).toEqual({ code: 0, stderr: note });
    expect(contract("invite")).toContain(
      'schema_derived_exclude: ["$.email", "$.cc[*]"] # review: the pattern there cannot be judged\n',
    );
    expect(contract("get_order")).not.toContain("schema_derived_exclude");
    expect(await run("check", "pack")).toMatchObject({ code: 0, stderr: "" });
  });

  it("proposes a slot of its own for each output, whatever the names are", async () => {
    const names = ["get", "get_user", "_", "use"];
    const sessions = [1, 2, 3, 4, 5].map((at) => ({
      calls: [
        { tool: "get", arguments: {}, output: { user: { id: `u${at}` }, user_id: `w${at}` } },
        { tool: "get_user", arguments: {}, output: { id: `v${at}` } },
        { tool: "_", arguments: {}, output: `x${at}` },
        { tool: "use", arguments: { a: `u${at}`, b: `v${at}`, c: `w${at}`, d: `x${at}` }, output: {} },
      ],
    }));
    file("t.jsonl", sessions.map((each) => `${JSON.stringify(each)}\n`).join(""));
    const tools = names.map((name) => ({ name, input_schema: { type: "object" } }));
    await run("init", "pack", "--from", file("tools.json", tools), "--traces", "t.jsonl");
    expect(contract("use").match(/ref: /g)).toHaveLength(4);
    uncomment();
    expect(await run("replay", "pack", "t.jsonl")).toMatchObject({
      code: 0,
      stdout: "5 sessions, 20 calls: 20 allowed, 0 refused\n",
    });
  });

  it.each([
    ["there is no tool in the definitions; give a list of them", ["pack", "--from", "none.json"]],
    [
      "no tool can have a contract: the file of `session` has another meaning; rename it",
      ["pack", "--from", "reserved.json"],
    ],
    ["`there` is not empty; give a new folder", ["there", "--from", "tools.json"]],
    ["`missing.json` cannot be read: it does not exist", ["pack", "--from", "missing.json"]],
    ["`broken.json` is not JSON; give a list of tool definitions", ["pack", "--from", "broken.json"]],
    ["give the tools with --from FILE, or with --mcp -- COMMAND, and not with both", ["pack"]],
    ["--mcp needs the command of a server after `--`", ["pack", "--mcp"]],
    ["a command is for --mcp only", ["pack", "--from", "tools.json", "node"]],
    ["the MCP server `no-such-command` cannot be started: ENOENT", ["pack", "--mcp", "--", "no-such-command"]],
    [
      "the MCP server `node` ended before it listed its tools (exit code 3)",
      ["pack", "--mcp", "--", "node", "-e", "process.exit(3)"],
    ],
    ["the MCP server `node` writes a line of more than 64 MiB", ["pack", "--mcp", "--", "node", "-e", ENDLESS_LINE]],
  ])("says what is wrong, and writes nothing: %s", async (message, args) => {
    file("tools.json", TOOLS);
    file("broken.json", "[");
    file("none.json", []);
    file("reserved.json", [{ name: "session", input_schema: {} }]);
    file("there", "a file");
    const { code, stderr } = await run("init", ...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: `contracts: ${message}\n` });
    expect(existsSync(join(folder, "pack"))).toBe(false);
  });

  it("writes the contracts of the other tools where a name is that of another file", async () => {
    const names = ["session", "claims", "get_order", "workflow"];
    const definitions = names.map((name) => ({ name, input_schema: { type: "object", properties: {} } }));
    const { code, stdout, stderr } = await run("init", "pack", "--from", file("tools.json", definitions));
    expect({ code, stdout: stdout.split(";")[0] }).toEqual({ code: 1, stdout: "pack: contracts of 1 tool" });
    for (const name of ["session", "claims", "workflow"]) {
      expect(stderr).toContain(`warning: tool \`${name}\` is defined but has no contract [missing_contract]`);
      expect(stderr).toContain(`help: rename the tool: \`${name}.yaml\` is not a tool contract`);
    }
    expect(await run("test", "pack")).toMatchObject({ code: 0, stdout: "1 test: 1 passed, 0 failed\n" });
  });

  it("shows what is wrong with definitions, and writes nothing", async () => {
    const { code, stderr } = await run("init", "pack", "--from", file("tools.json", [{ name: "a b", parameters: {} }]));
    expect(code).toBe(1);
    expect(stderr).toContain("tools.json:1");
    expect(existsSync(join(folder, "pack"))).toBe(false);
  });

  it.skipIf(!existsSync(RECORDED))("accepts the real sessions that it came from, with every draft a rule", async () => {
    const traces = `${RECORDED}/completed.jsonl`;
    await run("init", "pack", "--from", `${RECORDED}/tools.json`, "--traces", traces);
    expect((await run("replay", "pack", traces)).stdout).toBe("109 sessions, 712 calls: 712 allowed, 0 refused\n");
    uncomment();
    expect((await run("replay", "pack", traces)).stdout).toBe("109 sessions, 712 calls: 712 allowed, 0 refused\n");
  });
});
