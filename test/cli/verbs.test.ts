import { describe, expect, it } from "vitest";
import { waitForCli } from "../support/run-cli.js";

const HELP = (await waitForCli(["--help"])).stdout;
const VERBS = [...HELP.matchAll(/^ {2}([a-z-]+) .*$/gm)].map(([, verb = ""]) => verb).filter((verb) => verb !== "help");

describe("the verbs", () => {
  it("are found in the help", () => {
    expect(VERBS).toEqual(expect.arrayContaining(["compile", "check", "mcp", "audit"]));
  });

  // A command line that begins with a verb is read without the others; after `help` there are all of them.
  it.each(VERBS)("`%s` is the same alone and beside the others", async (verb) => {
    const beside = await waitForCli(["help", verb]);
    expect(beside.stdout).toContain(`Usage: contracts ${verb}`);
    expect(await waitForCli([verb, "--help"])).toEqual(beside);
  });
});
