import { describe, expect, it } from "vitest";
import { textOf } from "../support/documents.js";
import { inPack } from "../support/pack-text.js";
import { waitForCli } from "../support/run-cli.js";
import { isFull } from "../support/size.js";

const RECIPES = [...textOf("docs/cookbook.md").matchAll(/^## (.+)\n[\s\S]*?^```yaml pack\n([\s\S]*?)^```$/gm)].map(
  ([, title = "", pack = ""]) => ({ title, pack }),
);

describe("contracts verify on the packs of docs/cookbook.md", () => {
  it.each(RECIPES)("$title: every tool can be called", { timeout: 120_000 }, async ({ pack }) => {
    const { code, stdout, stderr } = await inPack(pack, (folder) => waitForCli(["verify", folder]));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).not.toContain("tool_not_shown");
  });
});

// It takes longer than all packs above. The normal run plays the tests of that pack, also on its mutants.
describe.runIf(isFull())("contracts verify on the pack of a shop", () => {
  it("shows every tool callable and every rule refusing", { timeout: 300_000 }, async () => {
    const { code, stdout } = await waitForCli(["verify", "contracts/retail"]);
    expect(code).toBe(0);
    expect(stdout).toContain("16 tools: 16 shown to be callable");
    expect(stdout).not.toContain("rule_not_shown");
  });
});
