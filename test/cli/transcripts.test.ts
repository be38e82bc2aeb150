import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, it } from "vitest";
import { expectGolden } from "../support/golden.js";
import { REPOSITORY, waitForCli } from "../support/run-cli.js";

const FOLDER = new URL("./", import.meta.url).pathname;

/** A transcript starts with `$ contracts …` and then holds what the command printed and its exit code. */
async function transcript(command: string): Promise<string> {
  const { code, stdout, stderr } = await waitForCli(
    command.replace("$ contracts", "").trim().split(/\s+/).filter(Boolean),
  );
  const errors = stderr === "" ? "" : `--- stderr\n${stderr}`;
  return `${command}\n${stdout}${errors}--- exit ${code}\n`.replaceAll(REPOSITORY, "<repository>/");
}

describe("the command line", () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".txt"));
  it.each(files.map((name) => [basename(name, ".txt"), name]))("prints what %s shows", async (_, name) => {
    const [command = ""] = readFileSync(FOLDER + name, "utf8").split("\n");
    expectGolden(FOLDER + name, await transcript(command));
  });
});
