import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clean, cleanLine } from "../../src/base/clean.js";
import { toolText } from "../support/hostile-pack.js";
import { REPOSITORY, waitForCli } from "../support/run-cli.js";

/** What a name could do to a log: end a line and forge another, colour it, turn it around, give a command. */
const EVIL = "x\\n::error::forged\\r##[error]forged\\e[31m\\u202eforged\\u2028";
const NAME = `"${EVIL}"`;

const SESSION = `schema_version: "1.0"
agent: ${NAME}
phases:
  - { name: ${NAME}, initial: true }
  - { name: end, terminal: true }
transitions: { ${NAME}: [end] }
policy:
  label_gates: [{ when_label: ${NAME}, deny_tools: [t], reason: ${NAME} }]
aggregates:
  - { name: ${NAME}, metric: count, tool: t, lte: 2, reason: ${NAME} }
`;
const CLAIMS = `schema_version: "1.0"
claims:
  - { at_most: { tool: t, calls: 0 }, reason: ${NAME} }
  - { never: { tool: t, when_label: ${NAME} }, reason: ${NAME} }
`;

let pack: string;

beforeAll(() => {
  pack = mkdtempSync(join(tmpdir(), "contracts-"));
  const golden = `[{ id: ${NAME}, arguments: {}, expect_ok: false }]`;
  const transitions = `{ valid_in_phases: [${NAME}], advances_to: end }`;
  const errors = `[{ code: ${NAME} }]`;
  writeFileSync(join(pack, "t.yaml"), toolText({ transitions, allowed_errors: errors, golden_cases: golden }));
  writeFileSync(join(pack, "session.yaml"), SESSION);
  writeFileSync(join(pack, "claims.yaml"), CLAIMS);
});

afterAll(() => rmSync(pack, { recursive: true, force: true }));

/** Control characters but line feeds, format characters, and what a build server takes for a command. */
const HARMFUL = /[^\P{Cc}\n]|[\p{Cf}\u2028\u2029]|##\[|^\s*::(?!error file=|warning file=)/mu;

describe("names of a pack in what is printed", () => {
  it.each([
    ["check", "--format", "text"],
    ["check", "--format", "github"],
    ["verify", "--format", "text", "--witnesses"],
    ["verify", "--format", "github"],
    ["test", "--format", "text"],
    ["test", "--format", "junit"],
    ["graph", "--format", "svg"],
    ["graph", "--format", "dot"],
    ["graph", "--format", "mermaid"],
  ])("are harmless in: %s %s %s", async (verb, ...options) => {
    const { stdout, stderr } = await waitForCli([verb, pack, ...options]);
    expect(stdout).not.toMatch(HARMFUL);
    expect(stderr).not.toMatch(HARMFUL);
    expect(stdout.split("\n").filter((line) => /^\s*(?:::error::)?forged/.test(line))).toEqual([]);
  });

  it.each(["text", "markdown"])("are harmless in: diff --format %s", async (format) => {
    const other = mkdtempSync(join(tmpdir(), "contracts-"));
    try {
      cpSync(pack, other, { recursive: true });
      writeFileSync(
        join(other, "session.yaml"),
        SESSION.replace("lte: 2", "lte: 9").replaceAll("end", `"${EVIL} too"`),
      );
      writeFileSync(
        join(other, "t.yaml"),
        readFileSync(join(pack, "t.yaml"), "utf8").replace("to: end", `to: "${EVIL} too"`),
      );
      const { stdout, stderr } = await waitForCli(["diff", pack, other, "--format", format]);
      expect(stderr).toBe("");
      expect(stdout).not.toMatch(HARMFUL);
    } finally {
      rmSync(other, { recursive: true, force: true });
    }
  });

  it.each([
    ["check", "nowhere\n::error::forged\u001b[31m"],
    ["check", "x", "--format", "x\n::error::forged\u001b[31m"],
    ["verify", "x", "--depth", "x\n::error::forged"],
    ["x\n::error::forged\u202e"],
    ["check", "--x\n::error::forged"],
    ["check", "x", "--format=x\n::error::forged\u001b[31m"],
    ["verify", "x", "--depth=x\n::error::forged"],
    ["diff", "x", "x", "--fail-on=x\n(Did you mean\n::error::forged?)"],
  ])("are harmless in messages about the command line: %j", async (...args) => {
    const { stderr } = await waitForCli(args);
    expect(stderr).not.toBe("");
    expect(stderr).not.toMatch(HARMFUL);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  it("are harmless in the message about a written file", async () => {
    const { stdout } = await waitForCli(["compile", pack, "--no-golden", "-o", join(pack, "x\n::error::forged\u202e")]);
    expect(stdout).toContain("wrote");
    expect(stdout).not.toMatch(HARMFUL);
  });

  it("are harmless in the report about a reply", async () => {
    const file = join(pack, "x\n::error::forged\u202e");
    writeFileSync(file, '{ "final_response": "Done." }');
    const { stdout } = await waitForCli(["check-response", file]);
    expect(stdout).toContain(": ok");
    expect(stdout).not.toMatch(HARMFUL);
  });

  it.each([
    ["check", "--format", "json"],
    ["check", "--format", "sarif"],
    ["verify", "--format", "json"],
    ["graph", "--format", "json"],
    ["graph", "--format", "html"],
    ["test", "--format", "json"],
  ])("are harmless in what programs read: %s %s %s", async (verb, ...options) => {
    const { stdout } = await waitForCli([verb, pack, ...options]);
    expect(stdout).not.toMatch(/[^\P{Cc}\n]|[\u202e\u2028]|##\[|^\s*::/mu);
    if (!options.includes("html")) expect(JSON.stringify(JSON.parse(stdout))).toContain("\u202e");
  });
});

describe("clean", () => {
  it("keeps the length, so that what is underlined stays in its place", () => {
    const text = "a\t\u001b[31m\u202e\u{e0001}\ud800b\n";
    expect(clean(text)).toHaveLength(text.length);
    expect(clean(text)).toBe("a \ufffd[31m\ufffd\ufffd\ufffd\ufffdb\ufffd");
  });

  it("leaves other text alone", () => {
    for (const text of ["Größe: 12 €, 北京, 🚀", "👩\u200d🚀", "می\u200cخواهم"]) expect(clean(text)).toBe(text);
  });

  it("makes no command of a line", () => {
    expect(cleanLine("  ::error::x")).toBe("  : error::x");
    expect(cleanLine("x ##[error]y")).toBe("x # [error]y");
    expect(cleanLine("##vso[task.x]y ##teamcity[z]")).toBe("# vso[task.x]y # teamcity[z]");
    expect(cleanLine("a::b ## c")).toBe("a::b ## c");
  });
});

describe("an output that cannot be written", () => {
  it.skipIf(!existsSync("/dev/full"))("ends with one line", () => {
    const { status, stderr } = spawnSync(
      "sh",
      ["-c", '"$0" "$1" explain bad_path > /dev/full', process.execPath, join(REPOSITORY, "bin/contracts.js")],
      { encoding: "utf8" },
    );
    expect([status, stderr]).toEqual([2, "contracts: cannot write the output: ENOSPC\n"]);
  });
});

describe("a reader that stops reading", () => {
  it("ends the command quietly", async () => {
    const child = spawn(process.execPath, [join(REPOSITORY, "bin/contracts.js"), "explain", "bad_path"]);
    child.stdout.destroy();
    let errors = "";
    child.stderr.on("data", (part) => {
      errors += part;
    });
    const [code] = await once(child, "close");
    expect(errors).toBe("");
    expect(code).toBe(0);
  });
});
