import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const REPOSITORY = new URL("../../", import.meta.url).pathname;
const SCRIPT = join(REPOSITORY, ".ci/new-rule.mjs");
const RULES = "src/compiler/rules";
const FIXTURES = "test/rules";

let folder = "";

/** A repository with the list of rules and the folders of all rules, which is what the script reads. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "new-rule-"));
  for (const path of [RULES, FIXTURES]) {
    const entries = readdirSync(join(REPOSITORY, path), { withFileTypes: true });
    for (const { name } of entries.filter((entry) => entry.isDirectory()))
      mkdirSync(join(folder, path, name), { recursive: true });
  }
  copyFileSync(join(REPOSITORY, RULES, "index.ts"), join(folder, RULES, "index.ts"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], { cwd: folder, encoding: "utf8" });
  return { status, stdout, stderr };
}

function read(path: string): string {
  return readFileSync(join(folder, path), "utf8");
}

function files(): readonly string[] {
  return [RULES, FIXTURES]
    .flatMap((path) => readdirSync(join(folder, path), { recursive: true, encoding: "utf8" }))
    .sort();
}

/** The names in a list of rules, in order. */
function listed(name: string): readonly string[] {
  const [, list = ""] =
    new RegExp(`const ${name}: .*? = \\[\n(.*?)\\];`, "s").exec(read("src/compiler/rules/index.ts")) ?? [];
  return list.trim().split(/,\s*/).filter(Boolean);
}

describe("npm run new:rule", () => {
  it("makes the file of an analysis rule and its fixtures, and lists it last among them", () => {
    const [before, known] = [files(), listed("ANALYSIS_RULES")];
    const { status, stdout, stderr } = run("dead_phase2_exit");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const made = [
      "src/compiler/rules/graph/dead-phase2-exit.ts",
      "test/rules/dead-phase2-exit/invalid.yaml",
      "test/rules/dead-phase2-exit/valid.yaml",
    ];
    expect(stdout.split("\n").slice(0, 4)).toEqual([...made, "src/compiler/rules/index.ts"]);
    // The documents read what the rules write: in one run both would happen at once.
    const updates = [...stdout.matchAll(/UPDATE=1 .*vitest\.config\.ts (test\S+(?: test\S+)*)/g)].map(
      ([, paths]) => paths,
    );
    expect(updates).toEqual(["test/rules.test.ts", "test/docs"]);
    expect(files()).toHaveLength(before.length + made.length + 1);
    for (const path of made) expect(read(path)).not.toBe("");
    expect(read(made[0] ?? "")).toContain(
      'export const deadPhase2Exit = defineRule<Params>({\n  code: "dead_phase2_exit",\n  stage: "graph",',
    );
    expect(read("src/compiler/rules/index.ts")).toContain(
      'import { deadPhase2Exit } from "./graph/dead-phase2-exit.js";',
    );
    expect(known.length).toBeGreaterThan(0);
    expect(listed("ANALYSIS_RULES")).toEqual([...known, "deadPhase2Exit"]);
  });

  it("lists a rule about workflows among those of the analysis", () => {
    const known = listed("ANALYSIS_RULES");
    expect(run("odd_handoff", "--folder", "workflow").status).toBe(0);
    expect(read("src/compiler/rules/workflow/odd-handoff.ts")).toContain('stage: "graph"');
    expect(listed("ANALYSIS_RULES")).toEqual([...known, "oddHandoff"]);
  });

  it("lists a rule of another folder before the analysis, which runs only without errors", () => {
    const known = listed("RULES");
    expect(run("odd_name", "--folder", "names").status).toBe(0);
    expect(read("src/compiler/rules/names/odd-name.ts")).toContain('stage: "resolve"');
    const analysis = known.indexOf("...ANALYSIS_RULES");
    expect(analysis).toBeGreaterThan(0);
    expect(listed("RULES")).toEqual(known.toSpliced(analysis, 0, "oddName"));
  });

  it.each([
    ["no code", [], /^usage: /],
    ["a code that is not in snake_case", ["deadTool"], /^usage: /],
    ["a code of one word, which may be a keyword", ["class"], /^usage: /],
    ["a path", ["../dead_tool"], /^usage: /],
    ["two codes", ["odd_name", "odder_name"], /^usage: /],
    ["a code that a rule has", ["dead_tool"], /^there is a rule `dead_tool` already: test\/rules\/dead-tool$/],
    ["a code that the table of problems has", ["bad_regex"], /^there is a rule `bad_regex` already/],
    [
      "an unknown folder",
      ["odd_name", "--folder", "odd"],
      /^--folder takes claims, expressions, graph, names, scenarios, schemas, shape, workflow, not odd$/,
    ],
    ["the folder of tables", ["odd_name", "--folder", "problems"], /not problems$/],
    ["an unknown option", ["odd_name", "--odd"], /--odd/],
  ] as const)("refuses %s, in one line, and writes nothing", (_, args, message) => {
    const [before, list] = [files(), read("src/compiler/rules/index.ts")];
    const { status, stdout, stderr } = run(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr.trimEnd()).toMatch(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(files()).toEqual(before);
    expect(read("src/compiler/rules/index.ts")).toBe(list);
  });

  it("refuses to run outside the repository", () => {
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    expect(run("odd_name")).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^there is no .* here: run this in the root/),
    });
  });
});
