import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeArtifact, seal } from "../../src/artifact/encode.js";
import { artifactOf } from "../support/guard-artifact.js";
import { waitForCli } from "../support/run-cli.js";

/** A pack that the compiler takes, with a pattern that it does not: sealed again, so that the hash holds. */
function forged(pattern: string): string {
  const { hash: _, ...body } = artifactOf(`
#== t.yaml (with the required fields)
assertions: { input_invariants: [{ path: $.text, regex: replaced }], output_invariants: [] }
`);
  return encodeArtifact(seal(JSON.parse(JSON.stringify(body).replaceAll('"replaced"', JSON.stringify(pattern)))));
}

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "forged-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(["(a+)+$", "(", "(?=a)", "(a)\\1"])("an artifact with the pattern %s", (pattern) => {
  beforeAll(() => writeFileSync(join(folder, "forged.json"), forged(pattern)));

  it.each([
    ["graph", "forged.json", "--format", "html"],
    ["graph", "forged.json", "--format", "html", "--no-verify"],
    ["graph", "forged.json", "--format", "dot"],
    ["diff", "forged.json", "forged.json"],
    ["diff", "forged.json", "forged.json", "--no-search"],
  ])("is refused by name: %s %s %s %s", async (...args) => {
    const { code, stdout, stderr } = await waitForCli(args, { cwd: folder });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(
      /^contracts: `forged.json` is not an artifact that a guard accepts: the artifact has a pattern /,
    );
    expect(stderr).toMatch(/; compile the pack again\n$/);
  });
});

describe("an artifact with the pattern that it was compiled with", () => {
  it("is drawn", async () => {
    writeFileSync(join(folder, "fine.json"), forged("replaced"));
    expect((await waitForCli(["graph", "fine.json", "--format", "dot"], { cwd: folder })).code).toBe(0);
  });
});
