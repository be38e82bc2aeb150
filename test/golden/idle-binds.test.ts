import { describe, expect, it } from "vitest";
import { inPack } from "../support/pack-text.js";
import { type Ran, waitForCli } from "../support/run-cli.js";

/** Plays steps on a pack whose tool `look` binds this. */
function tested(bind: string, steps: string, ...args: readonly string[]): Promise<Ran> {
  const text = `#== session.yaml (with the required fields)
schema_version: "1.1"
#== look.yaml (with the required fields)
assertions: { input_invariants: [], output_invariants: [{ path: $.bad, exists: false }] }
binds: [${bind}]
#== tests/it.yaml
name: it
steps: [${steps}]
`;
  return inPack(text, (cwd) => waitForCli(["test", ".", ...args], { cwd }));
}

const PLAIN = "{ name: seen, source: output, path: $.id }";
const MISSING = "{ call: look, output: { ID: a } }, { call: look, output: {} }";
const WARNING =
  "WARNING look.yaml:2 none of 2 outputs of `look` in the tests has a value for the slot `seen` at `$.id`; " +
  "help: correct the path or the key of the bind, or give the tests outputs as the tool answers\n";

describe("a bind of outputs that found nothing in any test", () => {
  it("is a warning at its place, and no failure", async () => {
    const stdout = `1 test: 1 passed, 0 failed\n${WARNING}`;
    expect(await tested(PLAIN, MISSING)).toEqual({ code: 0, stdout, stderr: "" });
  });

  it("is shown to programs too", async () => {
    const { stdout } = await tested(PLAIN, MISSING, "--format", "json");
    expect(JSON.parse(stdout).warnings).toEqual([
      {
        code: "idle_bind",
        file: "look.yaml",
        line: 2,
        message: expect.stringContaining("none of 2 outputs of `look`"),
      },
    ]);
    const junit = await tested(PLAIN, MISSING, "--format", "junit");
    expect(junit).toMatchObject({ code: 0, stdout: expect.not.stringContaining("WARNING"), stderr: WARNING });
  });

  const DECODED = PLAIN.replace("}", ", decode: json }");
  const KEYED = PLAIN.replace("}", ", key: $.key }");
  const MATCHED = '{ name: seen, source: output, path: "$.list[*]", key: "@.key" }';
  const UNION = '{ name: seen, source: output, path: "$.list[*]", collect: union }';

  it.each([
    [DECODED, "{ call: look, output: { id: a } }"],
    [KEYED, "{ call: look, output: { id: a } }"],
    [MATCHED, "{ call: look, output: { list: [{ id: a }] } }"],
    [UNION, "{ call: look, output: { list: [] } }"],
  ])("is one that finds no JSON, no key or no match: %s", async (bind, steps) => {
    expect((await tested(bind, steps)).stdout).toContain("WARNING look.yaml:2 the only output of `look`");
  });

  it.each([
    [PLAIN, `${MISSING}, { call: look, output: { id: a } }`],
    [PLAIN, "{ call: look, output: { id: null } }"],
    [PLAIN, '{ call: look }, { call: look, error: "no" }'],
    [PLAIN, "{ call: look, output: { bad: true }, reason: output_invariant_failed }"],
    ["{ name: seen, path: $.id }", "{ call: look, args: { id: a }, output: {} }"],
    [DECODED, '{ call: look, output: { id: "1" } }'],
    [KEYED, "{ call: look, output: { id: a, key: b } }"],
    [MATCHED, "{ call: look, output: { list: [{ id: a }, { key: b }] } }"],
    [UNION, "{ call: look, output: { list: [a] } }"],
  ])("is none that found something, or had nothing to search: %s in %s", async (bind, steps) => {
    expect((await tested(bind, steps)).stdout).toBe("1 test: 1 passed, 0 failed\n");
  });

  it("is not reported by a run of some of the tests", async () => {
    expect((await tested(PLAIN, MISSING, "--only", "it")).stdout).toBe("1 test: 1 passed, 0 failed\n");
  });
});
