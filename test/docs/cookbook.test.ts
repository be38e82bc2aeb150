import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { compilePack } from "../../src/compiler/compile-pack.js";
import { textOf } from "../support/documents.js";
import { inPack, parsePackText } from "../support/pack-text.js";
import { waitForCli } from "../support/run-cli.js";
import { wordlessRules } from "../support/wordless-rules.js";

const RECIPES = [...textOf("docs/cookbook.md").matchAll(/^## (.+)\n[\s\S]*?^```yaml pack\n([\s\S]*?)^```$/gm)].map(
  ([, title = "", pack = ""]) => ({ title, pack }),
);

interface Step {
  readonly expect?: string;
  readonly reason?: string;
  readonly because?: string;
}

/** Limits of calls have no words of their own. */
const WORDLESS: ReadonlySet<string> = new Set(["loop_detected"]);

/** The refusals of a recipe that do not say which words they are expected to come with. */
function withoutWords(pack: string): readonly Step[] {
  const tests = parsePackText(pack).filter(({ name }) => name.startsWith("tests/"));
  const steps = tests.flatMap(({ text }) => (parse(text) as { readonly steps: readonly Step[] }).steps);
  return steps.filter(
    ({ expect: expected, reason = "", because }) =>
      (expected === "block" || expected === "approval" || reason !== "") &&
      because === undefined &&
      !WORDLESS.has(reason),
  );
}

describe("docs/cookbook.md", () => {
  it("has at least twenty policies", () => {
    expect(RECIPES.length).toBeGreaterThanOrEqual(20);
  });

  it.each(RECIPES)(
    "$title: compiles without a finding, and is tried on a passing and a refused call",
    async ({ pack }) => {
      await inPack(pack, async (folder) => {
        const { artifact } = await compilePack(folder);
        expect(artifact === null ? null : wordlessRules(artifact)).toEqual([]);
        const checked = await waitForCli(["check", folder]);
        expect(checked).toMatchObject({ code: 0, stderr: "" });
        const tested = await waitForCli(["test", folder]);
        expect(tested).toMatchObject({
          code: 0,
          stdout: expect.stringMatching(/^[1-9]\d* tests?: \d+ passed, 0 failed\n$/),
        });
      });
      expect(withoutWords(pack)).toEqual([]);
      const steps = pack.split("steps:\n")[1] ?? "";
      expect(steps).toMatch(/call: .*output: /);
      expect(steps).toMatch(/expect: block|reason: (guarantee_failed|approval_denied)/);
    },
  );
});
