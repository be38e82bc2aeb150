import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectGolden } from "../support/golden.js";
import { REPOSITORY, waitForCli } from "../support/run-cli.js";

const FILE = join(REPOSITORY, "README.md");
const README = readFileSync(FILE, "utf8");

/** A block named after a file shows that file; one that starts with `$ contracts` shows what the command prints. */
async function executed(text: string): Promise<string> {
  const parts = text.split(/^(```[\s\S]*?^```$)/m);
  return (await Promise.all(parts.map(blockOf))).join("");
}

async function blockOf(part: string): Promise<string> {
  const [, language = "", file, body = ""] = /^```(\S*)(?: (\S+))?\n([\s\S]*)^```$/m.exec(part) ?? [];
  if (!part.startsWith("```")) return part;
  if (file !== undefined) return `\`\`\`${language} ${file}\n${readFileSync(join(REPOSITORY, file), "utf8")}\`\`\``;
  const [command = ""] = body.split("\n");
  if (!command.startsWith("$ contracts ")) return part;
  const { stdout } = await waitForCli(command.replace("$ contracts ", "").split(" "));
  return `\`\`\`${language}\n${command}\n${stdout}\`\`\``;
}

describe("README.md", () => {
  it("shows files as they are and what commands really print", async () => {
    expectGolden(FILE, await executed(README));
  }, 120_000);

  it("names the command that CI runs", () => {
    const last = readFileSync(join(REPOSITORY, ".ci/run"), "utf8").trimEnd().split("\n").at(-1) ?? "";
    expect(README).toContain(`    ${last} `);
  });

  it("links to files that exist", () => {
    const targets = [...README.matchAll(/\]\(([^)#]+)\)/g)].map(([, target = ""]) => target);
    expect(targets.length).toBeGreaterThan(0);
    expect(targets.filter((target) => !existsSync(join(REPOSITORY, target)))).toEqual([]);
  });
});
