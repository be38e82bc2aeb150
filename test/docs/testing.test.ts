import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readMapping } from "../../src/cli/replay/read-mapping.js";
import { textOf } from "../support/documents.js";
import { expectGolden } from "../support/golden.js";
import { REPOSITORY, waitForCli } from "../support/run-cli.js";

const DOCUMENT = "docs/testing.md";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "walk-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A block named after a file is written there, or shows it if it is there already; one that begins with `$ contracts` is run. */
async function executed(part: string): Promise<string> {
  const [, language = "", file, body = ""] = /^```(\S*)(?: (\S+))?\n([\s\S]*)^```$/m.exec(part) ?? [];
  if (!part.startsWith("```")) return part;
  if (file?.includes(".")) {
    const path = join(folder, file);
    // The first block of the contract that `init` wrote shows it; the second replaces it.
    if (body === "" || body.includes("# review")) {
      return `\`\`\`${language} ${file}\n${readFileSync(path, "utf8")}\`\`\``;
    }
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, body);
    return part;
  }
  const [command = ""] = body.split("\n");
  if (!command.startsWith("$ contracts ")) return part;
  const { stdout, stderr } = await waitForCli(command.replace("$ contracts ", "").split(" "), { cwd: folder });
  return `\`\`\`${language}\n${command}\n${stderr}${stdout}\`\`\``;
}

function blockOf(name: string): string {
  return new RegExp(`^\`\`\`yaml ${name}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(textOf(DOCUMENT))?.[1] ?? "";
}

describe(DOCUMENT, () => {
  it("is a walk that works as it says", { timeout: 120_000 }, async () => {
    const walked: string[] = [];
    for (const part of textOf(DOCUMENT).split(/^(```[\s\S]*?^```$)/m)) walked.push(await executed(part));
    expectGolden(join(REPOSITORY, DOCUMENT), walked.join(""));
  });

  it("has a mapping that can be read", () => {
    writeFileSync(join(folder, "map.yaml"), blockOf("map"));
    expect(Object.keys(readMapping(folder, "map.yaml"))).toEqual(["calls", "tool", "arguments", "output"]);
  });

  it("has a workflow whose commands run", { timeout: 120_000 }, async () => {
    cpSync(join(folder, "desk"), join(folder, "contracts"), { recursive: true });
    cpSync(join(folder, "desk"), join(folder, "before/contracts"), { recursive: true });
    const { jobs }: { jobs: { contracts: { steps: readonly { run?: string }[] } } } = parse(blockOf("workflow"));
    const commands = jobs.contracts.steps
      .flatMap(({ run = "" }) => run.split("\n"))
      .filter((line) => line.startsWith("npx contracts "))
      .map((line) =>
        line
          .replace("npx contracts ", "")
          .replace(/ > .*$/, "")
          .split(" "),
      );
    expect(commands.map(([verb]) => verb)).toEqual(["check", "test", "verify", "diff"]);
    for (const command of commands)
      expect(await waitForCli(command, { cwd: folder }), command[0]).toMatchObject({ code: 0 });
  });
});
