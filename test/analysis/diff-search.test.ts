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

describe("environment variables that only one of the packs reads", () => {
  const READING = `#== pay.yaml (with the required fields)
argument_value_invariants: [{ path: "$.amount", lte: 100 }]
execution_constraints: { arguments: [{ path: "$.account", equals_env: ACCOUNT }] }
`;
  const ADDED = `#== pay.yaml (with the required fields)
argument_value_invariants: [{ path: "$.amount", lte: 100 }]
#== refund.yaml (with the required fields)
`;

  it("are set where a session of the other pack is played", async () => {
    expect(await found(READING, ADDED)).toEqual(["pay is allowed now", "refund is allowed now"]);
    expect(await found(ADDED, READING)).toEqual(["pay is refused now", "refund is refused now"]);
  });

  const LIMITED = (pack: string, most: number) =>
    `#== session.yaml (with the required fields)\nsession_limits: { circuit_breaker: { consecutive_blocks: ${most} } }\n${pack}`;

  it("are set where a session is ended by a circuit breaker", async () => {
    const plain =
      '#== pay.yaml (with the required fields)\nargument_value_invariants: [{ path: "$.amount", lte: 100 }]\n';
    expect(await found(LIMITED(plain, 2), LIMITED(READING, 3))).toContain("pay is allowed now");
    expect(await found(LIMITED(READING, 2), LIMITED(plain, 3))).toContain("pay is allowed now");
  });
});
