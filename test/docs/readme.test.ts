import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REPOSITORY, runCli } from "../support/run-cli.js";

const README = readFileSync(join(REPOSITORY, "README.md"), "utf8");
const blocks = [...README.matchAll(/^```(\S*)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(([, language = "", file, text = ""]) => ({ language, file, text }));

describe("README.md", () => {
  it.each(blocks.filter(({ file }) => file !== undefined))("shows $file as it is", ({ file = "", text }) => {
    expect(text).toBe(readFileSync(join(REPOSITORY, file), "utf8"));
  });

  it.each(blocks.filter(({ text }) => text.startsWith("$ contracts")))("shows what a command prints: $text", ({ text }) => {
    const [command = ""] = text.split("\n");
    const { stdout } = runCli(command.replace("$ contracts ", "").split(" "));
    rmSync(join(REPOSITORY, "contracts/refunds/artifact.json"), { force: true });
    expect(text).toBe(`${command}\n${stdout}`);
  });

  it("names the command that CI runs", () => {
    const last = readFileSync(join(REPOSITORY, ".ci/run"), "utf8").trimEnd().split("\n").at(-1) ?? "";
    expect(README).toContain(`    ${last} `);
  });

  it("links to files that exist", () => {
    const targets = [...README.matchAll(/\]\(([^)#]+)\)/g)].map(([, target = ""]) => target);
    expect(targets.filter((target) => !existsSync(join(REPOSITORY, target)))).toEqual([]);
  });
});
