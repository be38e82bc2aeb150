import { afterEach, describe, expect, it, vi } from "vitest";
import { artifactOf } from "../support/guard-artifact.js";
import { told } from "../support/guard-steps.js";

/** How often all code points were searched for those of a property: nothing else in the guard looks for all matches. */
function tablesBuilt() {
  return vi.spyOn(String.prototype, "matchAll");
}

afterEach(() => vi.restoreAllMocks());

describe("tables of unicode properties", () => {
  // Each property in one test alone: a table is built once in a process.
  it.each([
    ["a pattern that the native engine takes", "^\\p{Script=Cherokee}+$", "ꭰ".repeat(200_000)],
    ["a pattern of ours", "(?:\\p{Script=Thai}+)+$", "ก".repeat(300)],
    ["what a property is not", "^\\P{Script=Lao}+$", "a".repeat(200_000)],
  ])("are built when the guard is made, and by no decision: %s", async (_, regex, text) => {
    const artifact = artifactOf(`
#== t.yaml (with the required fields)
assertions: { input_invariants: [{ path: $.text, regex: '${regex}' }], output_invariants: [] }
`);
    // The compiler has built them too; in what runs a guard, it never ran.
    vi.resetModules();
    const { createGuard } = await import("../../src/guard/entry.js");
    const built = tablesBuilt();
    const guard = await createGuard(artifact, { env: {} });
    expect(built).toHaveBeenCalled();
    built.mockClear();
    expect(told(await guard.propose({ tool: "t", args: { text } }))).toBe("allow");
    expect(built).not.toHaveBeenCalled();
  });
});
