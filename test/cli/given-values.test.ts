import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withPack } from "../support/pack-text.js";
import { waitForCli } from "../support/run-cli.js";

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "repeated-"));
  withPack("#== note.yaml (with the required fields)\n", (written) =>
    cpSync(written, join(cwd, "pack"), { recursive: true }),
  );
});
afterAll(() => rmSync(cwd, { recursive: true }));

describe("an option that is given twice", () => {
  it.each([
    ["check pack --format json --format text", "--format <format>"],
    ["check pack --format text --format=text", "--format <format>"],
    ["check pack --warnings-as-errors --warnings-as-errors", "--warnings-as-errors"],
    ["check pack --no-golden --no-golden", "--no-golden"],
    ["compile pack -o a.json -o b.json", "-o, --out <file>"],
    ["compile pack -oa.json --out b.json", "-o, --out <file>"],
    ["verify pack --depth 3 --depth 9", "--depth <steps>"],
    ["diff pack pack --root a --root b", "--root <folder>"],
    ["test pack --only a --only b", "--only <id>"],
    ["audit export sqlite:./a.db --session a --session b", "--session <id>"],
    ["sessions kill sqlite:./a.db s1 --by ann --by bob --why x", "--by <name>"],
  ])("is wrong usage, and nothing is done: %s", async (command, flags) => {
    const { code, stdout, stderr } = await waitForCli(command.split(" "), { cwd });
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: "",
      stderr: `error: option '${flags}' was given twice; give it once\n`,
    });
    expect(["a.json", "b.json", "a.db"].filter((name) => existsSync(join(cwd, name)))).toEqual([]);
  });

  it("is fine where it may be repeated, and after `--`", async () => {
    const replay = "audit replay sqlite:./none.db --artifact pack --principal a.json --principal b.json";
    expect((await waitForCli(replay.split(" "), { cwd })).stderr).not.toContain("twice");
    const server = ["mcp", "--pack", "pack", "--", "no-such-command-at-all", "--pack", "a", "--pack", "b"];
    expect((await waitForCli(server, { cwd })).stderr).not.toContain("twice");
  });
});

describe("a value that is empty, as a shell passes a variable that is not set", () => {
  it.each([
    ["check ''", "argument 'pack' is empty"],
    ["diff pack ''", "argument 'new' is empty"],
    ["check pack --root ''", "the value of option '--root <folder>' is empty"],
    ["compile pack --out ''", "the value of option '-o, --out <file>' is empty"],
    ["check pack --tools=", "the value of option '--tools <file>' is empty"],
    ["sessions list sqlite:./a.db --status ''", "option '--status <status>' argument '' is invalid"],
    ["sessions kill sqlite:./a.db s1 --by '' --why x", "the value of option '--by <name>' is empty"],
    ["audit replay sqlite:./a.db --artifact pack --principal ''", "the value of option '--principal <file>' is empty"],
  ])("is wrong usage: %s", async (command, message) => {
    const args = command.split(" ").map((arg) => (arg === "''" ? "" : arg));
    const { code, stdout, stderr } = await waitForCli(args, { cwd: join(cwd, "pack") });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(`error: ${message}`);
  });

  it("is passed on to the command of a server, and may be a scheme", async () => {
    const server = ["mcp", "--pack", "pack", "--", "no-such-command-at-all", ""];
    expect((await waitForCli(server, { cwd })).stderr).not.toContain("is empty");
    const url = "http://127.0.0.1:1/";
    expect((await waitForCli(["doctor", "--url", url, "--scheme", ""], { cwd })).stderr).not.toContain("is empty");
  });
});
