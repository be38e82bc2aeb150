import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withPack } from "../support/pack-text.js";
import { waitForCli } from "../support/run-cli.js";

const PACK = `#== session.yaml (with the required fields)
phases:
  - { name: open, initial: true }
  - { name: done, terminal: true }
transitions:
  open: [done]
#== close.yaml (with the required fields)
transitions: { valid_in_phases: [open], advances_to: done }
#== note.yaml (with the required fields)
transitions: { valid_in_phases: [open] }
forbids_after: [close]
`;

const OF_REPORT = "only adds to the report; give --report FILE too";
const OF_PAGE = "only adds to the page; use --format html";
const OF_EXPLORING = "limits how far a pack is explored, which was not asked for";
const OF_TOKEN = "sets how the token is sent, but there is none; give it with --token-env NAME";

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "idle-"));
  withPack(PACK, (written) => cpSync(written, join(cwd, "pack"), { recursive: true }));
  withPack(PACK.replace("forbids_after: [close]\n", ""), (written) =>
    cpSync(written, join(cwd, "old"), { recursive: true }),
  );
  writeFileSync(join(cwd, "events.jsonl"), '{"session":"s1","tool":"note","kind":"allow","callId":"call_1"}\n');
});
afterAll(() => rmSync(cwd, { recursive: true }));

/** Runs a command where `pack`, its predecessor `old` and recorded events lie. */
async function run(command: string, env: Readonly<Record<string, string>> = {}) {
  return await waitForCli(command.split(" "), { cwd, env });
}

describe("an option that would do nothing", () => {
  it.each([
    ["compile pack -o a.json --diff old", `--diff ${OF_REPORT}, or use \`contracts diff\``],
    ["compile pack -o a.json --traces events.jsonl", `--traces ${OF_REPORT}`],
    ["compile pack -o a.json --verify --diff old", `--diff ${OF_REPORT}, or use \`contracts diff\``],
    ["verify pack --diff old", `--diff ${OF_REPORT}, or use \`contracts diff\``],
    ["verify pack --traces events.jsonl", `--traces ${OF_REPORT}`],
    ["compile pack -o a.json --depth 9", `--depth ${OF_EXPLORING}; give --verify too`],
    ["compile pack -o a.json --states 9", `--states ${OF_EXPLORING}; give --verify too`],
    ["compile pack -o a.json --report r.html --depth 9", `--depth ${OF_EXPLORING}; give --verify too`],
    // The default, said aloud, is no less idle.
    ["compile pack -o a.json --depth 500", `--depth ${OF_EXPLORING}; give --verify too`],
    [
      "verify pack --witnesses --format sarif",
      "--witnesses prints sessions, which --format sarif has no place for; use --format text or json",
    ],
    [
      "verify pack --witnesses --format github",
      "--witnesses prints sessions, which --format github has no place for; use --format text or json",
    ],
    ["graph pack --diff old", `--diff ${OF_PAGE}, or \`contracts diff\``],
    ["graph pack --format svg --diff old", `--diff ${OF_PAGE}, or \`contracts diff\``],
    ["graph pack --format json --traces events.jsonl", `--traces ${OF_PAGE}`],
    ["graph pack --format dot --depth 9", `--depth ${OF_EXPLORING}; use --format html`],
    ["graph pack --states 9", `--states ${OF_EXPLORING}; use --format html`],
    ["graph pack --format html --no-verify --depth 9", `--depth ${OF_EXPLORING}; leave out --no-verify`],
    ["graph pack --format html --no-verify --states 9", `--states ${OF_EXPLORING}; leave out --no-verify`],
    ["doctor --url http://127.0.0.1:9 --auth-header X-API-Key", `--auth-header ${OF_TOKEN}`],
    ["doctor --url http://127.0.0.1:9 --scheme Token", `--scheme ${OF_TOKEN}`],
  ])("is refused: contracts %s", async (command, message) => {
    expect(await run(command)).toEqual({ code: 2, stdout: "", stderr: `contracts: ${message}\n` });
  });

  it("is refused before anything is written", async () => {
    await run("compile pack -o unwritten.json --diff old");
    expect(existsSync(join(cwd, "unwritten.json"))).toBe(false);
  });

  it.each([
    "compile pack -o b.json --verify --depth 9",
    "compile pack -o b.json --report b.html --diff old --states 99",
    "compile pack -o b.json --report b.html --traces events.jsonl",
    "verify pack --depth 9 --states 99",
    "verify pack --report b.html --diff old --traces events.jsonl",
    "graph pack --format html --depth 9 --traces events.jsonl",
    "graph pack --no-verify",
  ])("is taken where it does something: contracts %s", async (command) => {
    expect(await run(command)).toMatchObject({ code: 0, stderr: "" });
  });

  it("is no --witnesses in JSON, which holds every session", async () => {
    const { code, stdout } = await run("verify pack --witnesses --format json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout).verification[0].tools[0].trace.steps).not.toEqual([]);
  });

  it("is no --scheme where the token comes from the environment", async () => {
    const { code, stderr } = await run("doctor --url http://127.0.0.1:9 --scheme Token", { AGENT_TOKEN: "t0ken" });
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  });
});

describe("a report in the place of the artifact", () => {
  it.each([
    ["compile pack -o both --report ./both", "./both"],
    ["compile pack --report pack/artifact.json", "pack/artifact.json"],
  ])("is refused: contracts %s", async (command, file) => {
    expect(await run(command)).toEqual({
      code: 2,
      stdout: "",
      stderr: `contracts: \`${file}\` is where the artifact goes; choose another file for --report\n`,
    });
    expect(existsSync(join(cwd, file))).toBe(false);
  });
});

describe("graph --no-verify --diff", () => {
  it("shows what changed, though not what exploring the pack by itself would find", async () => {
    const { code } = await run("graph pack --format html --no-verify --diff old --depth 9 -o page.html");
    const page = readFileSync(join(cwd, "page.html"), "utf8");
    expect(code).toBe(0);
    expect(page).toContain('id="p0changes"');
    expect(page).toContain("newly refused");
    expect(page).not.toContain("A session can get stuck");
  });
});
