import { describe, expect, it } from "vitest";
import { diffPacks } from "../../src/analysis/diff/diff-packs.js";
import { headline } from "../../src/analysis/diff/static/difference-words.js";
import { sentenceOf } from "../../src/report/sentences.js";
import { artifactOf } from "../support/guard-artifact.js";

/** What the search says about a change, one line for each call. */
async function found(before: string, after: string): Promise<readonly string[]> {
  const bounds = { depth: 20, states: 200 };
  const differences = await diffPacks(artifactOf(before), artifactOf(after), { bounds, wording: sentenceOf });
  return differences.flatMap(({ divergences }) => divergences.map(headline)).sort();
}

const WITHHELD = `#== pay.yaml (with the required fields)
assertions: { input_invariants: [], output_invariants: [{ path: "$.ok", equals: true }] }
`;

const APPROVED = `#== pay.yaml (with the required fields)
checkpoint: { when: always, timeout_seconds: 60 }
`;

describe("a change of the verdict and of the result at once", () => {
  it("is two findings where a checkpoint replaces a rule on results", async () => {
    expect(await found(WITHHELD, APPROVED)).toEqual(["pay needs an approval now", "the result of pay is returned now"]);
  });

  it("is two findings where a rule on results replaces a checkpoint", async () => {
    expect(await found(APPROVED, WITHHELD)).toEqual(["pay is allowed now", "the result of pay is withheld now"]);
  });
});
