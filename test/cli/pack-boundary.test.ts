import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { outputTo } from "../../src/cli/write-output.js";
import { compilePack } from "../../src/compiler/compile-pack.js";
import { makePipe, toolText } from "../support/hostile-pack.js";
import { waitForCli } from "../support/run-cli.js";

const SESSION = 'schema_version: "1.0"\nagent: a\n';
const WORKFLOW =
  'schema_version: "1.0"\nworkflow: w\nroles:\n  - name: worker\n    session_contract: ../outside/session.yaml\n';
const SECRET = "s3cret-of-another-folder";

let base: string;
let pack: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "contracts-"));
  pack = join(base, "pack");
  mkdirSync(pack);
  writeFileSync(join(pack, "t.yaml"), toolText());
  writeFileSync(join(pack, "session.yaml"), SESSION);
  mkdirSync(join(base, "outside"));
  writeFileSync(join(base, "outside", "session.yaml"), SESSION);
  writeFileSync(join(base, "outside", "t.yaml"), toolText());
  writeFileSync(join(base, "outside", "secret.json"), `{ "${SECRET}": `);
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

describe("reading a pack", () => {
  const check = (...more: string[]) => waitForCli(["check", "pack", ...more], { cwd: base });

  it("does not read a file that a link leads to outside the pack, and quotes nothing of it", async () => {
    symlinkSync(join(base, "outside", "secret.json"), join(pack, "tools.json"));
    const { code, stdout } = await check();
    expect(code).toBe(1);
    expect(stdout).toContain("`tools.json` cannot be read: it is outside the pack");
    expect(stdout).toContain("--root DIR");
    expect(stdout).not.toContain(SECRET);
  });

  it.each(["/proc/self/environ", "/dev/zero", "/etc/passwd"])("does not read %s through a link", async (target) => {
    symlinkSync(target, join(pack, "evil.yaml"));
    const { code, stdout } = await check();
    expect(code).toBe(1);
    expect(stdout).toContain("`evil.yaml` cannot be read: it is outside the pack");
    expect(stdout).not.toContain("PATH=");
  });

  it("does not read the pack of a role outside, with or without a link", async () => {
    writeFileSync(join(pack, "workflow.yaml"), WORKFLOW);
    expect((await check()).stdout).toContain(
      "`../outside/session.yaml` is outside the pack [unknown_session_contract]",
    );
    symlinkSync(join(base, "outside"), join(pack, "role"));
    writeFileSync(join(pack, "workflow.yaml"), WORKFLOW.replace("../outside", "role"));
    expect((await check()).stdout).toContain("`role/session.yaml` is outside the pack [unknown_session_contract]");
  });

  it("does not read the arguments of a golden case outside", async () => {
    const cases = "[{ id: c, input_ref: ../outside/secret.json, expect_ok: true }]";
    writeFileSync(join(pack, "t.yaml"), toolText({ golden_cases: cases }));
    const { code, stdout } = await check();
    expect(code).toBe(1);
    expect(stdout).toContain("`../outside/secret.json` is outside the pack [unknown_input_ref]");
  });

  it("reads what --root allows, and only that", async () => {
    writeFileSync(join(pack, "workflow.yaml"), WORKFLOW);
    expect((await check("--root", ".")).code).toBe(0);
    expect((await compilePack(pack, { root: base })).ok).toBe(true);
    expect((await compilePack(pack)).ok).toBe(false);
    expect(await check("--root", "outside")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("a folder above it"),
    });
    expect((await check("--root", "nowhere")).code).toBe(2);
  });

  it.each(["verify", "graph", "diff"])("has --root for %s too", async (verb) => {
    writeFileSync(join(pack, "workflow.yaml"), WORKFLOW);
    const args = verb === "diff" ? [verb, "pack", "pack"] : [verb, "pack"];
    expect((await waitForCli(args, { cwd: base })).code).toBe(1);
    expect((await waitForCli([...args, "--root", "."], { cwd: base })).code).toBe(0);
  });

  it("follows links that stay inside the pack", async () => {
    mkdirSync(join(pack, "parts"));
    writeFileSync(join(pack, "parts", "u.txt"), toolText({ tool: "u" }));
    symlinkSync(join("parts", "u.txt"), join(pack, "u.yaml"));
    expect(await check()).toMatchObject({ code: 0, stdout: expect.stringContaining("2 tools compiled") });
  });

  it("reads a pack that is itself a link, and tool definitions that were named by hand", async () => {
    symlinkSync(pack, join(base, "link"));
    writeFileSync(join(base, "outside", "tools.json"), "[]");
    const { code, stdout } = await waitForCli(["check", "link", "--tools", "outside/tools.json"], { cwd: base });
    expect(code).toBe(0);
    expect(stdout).toContain("missing_definition");
  });

  it("reads no further than 1 MiB of a file that says it is empty", async () => {
    const { code, stdout } = await waitForCli(["check", "."], { cwd: "/proc/self/task" });
    expect(code).toBe(1);
    expect(stdout).toContain("empty_pack");
    symlinkSync("/proc/kallsyms", join(pack, "k.yaml"));
    expect((await check("--root", "/")).stdout).toContain("file_too_large");
  });
});

describe("reading a file that the command line names", () => {
  it.each([
    ["check", "@"],
    ["compile", "@"],
    ["test", "@"],
    ["verify", "@"],
    ["graph", "@"],
    ["diff", "pack", "@"],
    ["check", "pack", "--tools", "@"],
    ["check", "pack", "--root", "@"],
  ])("refuses one that cannot be looked at: %s %s %s %s", async (...args) => {
    symlinkSync("circle", join(base, "circle"));
    for (const [name, why] of [
      ["circle", "ELOOP"],
      ["a".repeat(5000), "ENAMETOOLONG"],
    ] as const) {
      const { code, stdout, stderr } = await waitForCli(
        args.map((argument) => (argument === "@" ? name : argument)),
        { cwd: base },
      );
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toMatch(new RegExp(`^contracts: \\S+ cannot be read: ${why}\n$`));
    }
  });

  it("ends where no artifact is so large", async () => {
    writeFileSync(join(base, "big.json"), "");
    truncateSync(join(base, "big.json"), 300 * 1024 * 1024);
    const { code, stderr } = await waitForCli(["graph", "big.json"], { cwd: base });
    expect([code, stderr]).toEqual([2, "contracts: `big.json` cannot be read: it holds more than 256 MiB\n"]);
  });
});

describe("writing beside a pack", () => {
  const compile = (...more: string[]) => waitForCli(["compile", "pack", ...more], { cwd: base });

  it("writes the artifact again and again", async () => {
    expect((await compile()).code).toBe(0);
    expect((await compile()).code).toBe(0);
    expect((await compile("-o", "pack/other.json")).code).toBe(0);
    expect((await compile("-o", "pack/other.json")).code).toBe(0);
  });

  it("replaces an artifact of another format", async () => {
    writeFileSync(join(pack, "artifact.json"), '{"format":0,"hash":"old","packs":[]}');
    expect((await compile()).code).toBe(0);
  });

  it.each([
    ["a contract", "t.yaml"],
    ["the session", "session.yaml"],
    ["a new contract", "new.yaml"],
    ["tool definitions that are not there yet", "tools.json"],
    ["another file of the pack", "README.md"],
  ])("does not write over %s", async (_, name) => {
    writeFileSync(join(pack, "README.md"), "mine");
    const before = existsSync(join(pack, name)) ? readFileSync(join(pack, name), "utf8") : null;
    for (const option of ["-o", "--report"]) {
      const { code, stderr } = await compile(option, `pack/${name}`);
      expect(code).toBe(2);
      expect(stderr).toContain("cannot write");
    }
    expect(existsSync(join(pack, name)) ? readFileSync(join(pack, name), "utf8") : null).toBe(before);
  });

  it("writes neither file where one of them cannot be written", async () => {
    expect((await compile("-o", "pack/a.json", "--report", "pack/t.yaml")).code).toBe(2);
    expect(existsSync(join(pack, "a.json"))).toBe(false);
  });

  it("does not follow links", async () => {
    writeFileSync(join(base, "victim"), "mine");
    symlinkSync(join(base, "victim"), join(pack, "artifact.json"));
    expect(await compile()).toMatchObject({ code: 2, stderr: expect.stringContaining("it is a symbolic link") });
    symlinkSync(join(base, "outside"), join(pack, "out"));
    expect(await compile("-o", "pack/out/a.json")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("out of"),
    });
    linkSync(join(base, "victim"), join(pack, "hard.json"));
    expect((await compile("-o", "pack/hard.json")).code).toBe(2);
    expect(readFileSync(join(base, "victim"), "utf8")).toBe("mine");
  });

  it("does not write over a file of the pack by another name of it", async () => {
    linkSync(join(pack, "t.yaml"), join(base, "other.json"));
    for (const option of ["-o", "--report"]) {
      const refused = { code: 2, stderr: expect.stringContaining("already has this file") };
      expect(await compile(option, "other.json")).toMatchObject(refused);
    }
    expect(readFileSync(join(pack, "t.yaml"), "utf8")).toBe(toolText());
    // What was written before may be written again, however many names it has.
    expect((await compile()).code).toBe(0);
    linkSync(join(pack, "artifact.json"), join(base, "kept.json"));
    expect((await compile("-o", "kept.json")).code).toBe(0);
  });

  it("writes a report again where it wrote one before, and a drawing once", async () => {
    expect((await compile("--report", "pack/report.html")).code).toBe(0);
    expect((await compile("--report", "pack/report.html")).code).toBe(0);
    const graph = () => waitForCli(["graph", "pack", "--format", "svg", "-o", "pack/graph.svg"], { cwd: base });
    expect((await graph()).code).toBe(0);
    expect(await graph()).toMatchObject({ code: 2, stderr: expect.stringContaining("already has this file") });
    expect((await compile("-o", "out.json", "--report", "outside/../out.json")).code).toBe(2);
  });

  it("does not write over a contract that it did not read itself", async () => {
    await compile();
    const contract = readFileSync(join(pack, "t.yaml"), "utf8");
    const graph = (...args: string[]) => waitForCli(["graph", ...args], { cwd: base });
    expect((await graph("pack/artifact.json", "--format", "dot", "-o", "pack/t.yaml")).code).toBe(2);
    expect((await compile("-o", "outside/t.yaml")).code).toBe(2);
    symlinkSync("../outside/part.txt", join(pack, "u.yaml"));
    writeFileSync(join(base, "outside", "part.txt"), toolText({ tool: "u" }));
    expect((await compile("--root", ".", "-o", "outside/part.txt")).code).toBe(2);
    expect(readFileSync(join(pack, "t.yaml"), "utf8")).toBe(contract);
    expect(readFileSync(join(base, "outside", "part.txt"), "utf8")).toBe(toolText({ tool: "u" }));
  });

  it("does not write over what it reads", async () => {
    await compile("-o", "a.json");
    const read = { code: 2, stderr: expect.stringContaining("it is what the command reads") };
    expect(await waitForCli(["graph", "a.json", "--format", "dot", "-o", "a.json"], { cwd: base })).toMatchObject(read);
    writeFileSync(join(base, "defs.json"), "[]");
    expect(await compile("--tools", "defs.json", "-o", "defs.json")).toMatchObject(read);
    expect(readFileSync(join(base, "defs.json"), "utf8")).toBe("[]");
  });

  it("does not write where a folder became a link after it was looked at", () => {
    mkdirSync(join(pack, "out"));
    const output = { what: "the artifact", packs: [pack], inputs: [], isEarlier: () => true };
    const write = outputTo(join(pack, "out", "a.json"), output);
    renameSync(join(pack, "out"), join(pack, "gone"));
    symlinkSync(join(base, "outside"), join(pack, "out"));
    expect(() => write("{}")).toThrow("cannot write the artifact");
    expect(readFileSync(join(base, "outside", "a.json"), { flag: "a+" }).toString()).toBe("");
  });

  it("does not wait for a pipe at the place it writes to", async () => {
    makePipe(join(pack, "artifact.json"));
    expect(await compile()).toMatchObject({ code: 2, stderr: expect.stringContaining("already has this file") });
  });

  it("overwrites what is no part of a pack, as any tool does", async () => {
    writeFileSync(join(base, "out.json"), "old");
    expect((await compile("-o", "out.json")).code).toBe(0);
    expect(readFileSync(join(base, "out.json"), "utf8")).toContain('"hash"');
  });
});
