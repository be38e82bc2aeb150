import { describe, expect, it } from "vitest";
import { textOf } from "../support/documents.js";
import { inPack } from "../support/pack-text.js";
import { waitForCli } from "../support/run-cli.js";

const RECIPES = [...textOf("docs/cookbook.md").matchAll(/^## (.+)\n[\s\S]*?^```yaml pack\n([\s\S]*?)^```$/gm)].map(
  ([, title = "", pack = ""]) => ({ title, pack }),
);

describe("docs/cookbook.md", () => {
  it("has at least twenty policies", () => {
    expect(RECIPES.length).toBeGreaterThanOrEqual(20);
  });

  it.each(RECIPES)(
    "$title: compiles without a finding, and is tried on a passing and a refused call",
    async ({ pack }) => {
      await inPack(pack, async (folder) => {
        const checked = await waitForCli(["check", folder]);
        expect(checked).toMatchObject({ code: 0, stderr: "" });
        const tested = await waitForCli(["test", folder]);
        expect(tested).toMatchObject({
          code: 0,
          stdout: expect.stringMatching(/^[1-9]\d* tests?: \d+ passed, 0 failed\n$/),
        });
      });
      const steps = pack.split("steps:\n")[1] ?? "";
      expect(steps).toMatch(/call: .*output: /);
      expect(steps).toMatch(/expect: block|reason: (guarantee_failed|approval_denied)/);
    },
  );
});
