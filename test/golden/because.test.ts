import { describe, expect, it } from "vitest";
import { inPack } from "../support/pack-text.js";
import { waitForCli } from "../support/run-cli.js";

const PACK = `#== session.yaml (with the required fields)
schema_version: "1.1"
#== pay.yaml (with the required fields)
argument_value_invariants:
  - { path: $.amount, lte: 10, reason: We pay little }
checkpoint:
  when: [{ path: $.amount, gte: 5 }]
  timeout_seconds: 60
  on_timeout: deny
  reason: A person looks at half of it
assertions:
  input_invariants: []
  output_invariants: [{ path: $.paid, equals: true, reason: Paid is paid }]
`;

/** Whether a scenario of one step passes. */
async function passes(step: string): Promise<boolean> {
  const pack = `${PACK}#== tests/it.yaml\nname: it\nsteps: [${step}]\n`;
  const { code, stderr } = await inPack(pack, (cwd) => waitForCli(["test", "."], { cwd }));
  expect(stderr).toBe("");
  return code === 0;
}

describe("the words of the policy that a scenario expects", () => {
  it.each([
    ["a refusal", "{ call: pay, args: { amount: 11 }, expect: block, because: WORDS }", "We pay little"],
    [
      "a request for an approval",
      "{ call: pay, args: { amount: 5 }, expect: approval, because: WORDS }",
      "A person looks at half of it",
    ],
    [
      "a rejected output",
      "{ call: pay, args: { amount: 1 }, output: {}, reason: output_invariant_failed, because: WORDS }",
      "Paid is paid",
    ],
  ])("are those of %s", async (_, step, words) => {
    expect(await passes(step.replace("WORDS", words))).toBe(true);
    expect(await passes(step.replace("WORDS", "Something else"))).toBe(false);
  });
});

it("are said once of a refusal that no step expected, whose hint has them too", async () => {
  const pack = `${PACK}#== tests/it.yaml\nname: it\nsteps: [{ call: pay, args: { amount: 11 } }]\n`;
  const { stdout } = await inPack(pack, (cwd) => waitForCli(["test", "."], { cwd }));
  expect(stdout.match(/We pay little/g)).toHaveLength(1);
  expect(stdout).toContain("hint of the guard: change the arguments: $.amount at most 10\n");
});
