import { describe, expect, it } from "vitest";
import { diffPacks } from "../../src/analysis/diff/diff-packs.js";
import { mutantsOf } from "../../src/analysis/mutation/mutants.js";
import { MeaningKept } from "../../src/analysis/mutation/unchanged-meaning.js";
import type { Artifact } from "../../src/artifact/compiled.js";
import { decodeArtifact } from "../../src/artifact/decode.js";
import { encodeArtifact } from "../../src/artifact/encode.js";
import { isOfModel, PackRules } from "../../src/artifact/pack-rules.js";
import { changeWords } from "../../src/cli/golden/mutant-words.js";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import { sentenceOf } from "../../src/report/sentences.js";
import { withPack } from "../support/pack-text.js";
import { isFull } from "../support/size.js";
import { GATE_PACK } from "./gate-pack.js";

function compiled(text: string): Artifact {
  const { artifact } = withPack(text, (folder) => compileFolder(folder));
  if (artifact === null) throw new Error("the pack does not compile");
  return artifact;
}

/** What the mutants of one tool's contract change. */
function changesOf(contract: string): readonly string[] {
  return mutantsOf(compiled(`#== pay.yaml (with the required fields)\n${contract}`)).map(changeWords);
}

describe("the mutants of a pack with every kind of rule", () => {
  const artifact = compiled(GATE_PACK);
  const mutants = mutantsOf(artifact);

  it("drop each rule on calls, and no rule on models", () => {
    const rules = artifact.packs.flatMap((pack) => new PackRules(pack).all).filter(({ body }) => !isOfModel(body));
    expect(mutants.filter(({ body }) => body === null).map(({ rule }) => rule.id)).toEqual(rules.map(({ id }) => id));
  });

  it("are artifacts of their own that a guard accepts", () => {
    expect(new Set(mutants.map((mutant) => mutant.artifact.hash).concat(artifact.hash)).size).toBe(mutants.length + 1);
    for (const mutant of mutants) expect(decodeArtifact(encodeArtifact(mutant.artifact))).toMatchObject({ ok: true });
  });

  it("are never stronger than the pack in any rule", async () => {
    for (const mutant of mutants) {
      const read = await diffPacks(artifact, mutant.artifact, { bounds: null, wording: sentenceOf });
      const changed = read.flatMap(({ changes }) => changes).filter(({ before }) => before !== null);
      const stronger = changed.filter(({ direction }) => direction === "stronger");
      expect.soft({ change: changeWords(mutant), stronger }).toEqual({ change: changeWords(mutant), stronger: [] });
    }
  });
});

describe("the weaker forms of a rule", () => {
  it("are one operator less, and bounds moved by one unit of their last digit", () => {
    expect(
      changesOf('argument_value_invariants: [{ path: "$.amount", type: integer, gte: 0.25, lte: 600 }]\n'),
    ).toEqual([
      "dropped: The argument $.amount must be a whole number, at least 0.25 and at most 600.",
      ...[
        "at least 0.25 and at most 600",
        "a number, at least 0.25 and at most 600",
        "a whole number and at most 600",
        "a whole number, at least 0.24 and at most 600",
        "a whole number and at least 0.25",
        "a whole number, at least 0.25 and at most 601",
      ].map(
        (form) =>
          `weakened to: The argument $.amount must be ${form}. It was: The argument $.amount must be a whole number, at least 0.25 and at most 600.`,
      ),
    ]);
  });

  it("are any value of the type in place of a list of values", () => {
    expect(changesOf('argument_value_invariants: [{ path: "$.currency", one_of: [EUR, USD] }]\n').at(1)).toBe(
      'weakened to: The argument $.currency must be text. It was: The argument $.currency must be equal to "EUR" or "USD".',
    );
  });

  it("are checkpoints that ask less often", () => {
    const when = "[{ path: $.amount, gte: 500 }, { path: $.country, one_of: [A, B] }]";
    const changes = changesOf(`checkpoint: { when: ${when}, timeout_seconds: 60, on_timeout: deny }\n`);
    expect(changes.map((change) => /when .*? \(/.exec(change)?.[0])).toEqual([
      'when $.amount is at least 500 or $.country is equal to "A" or "B" (',
      'when $.country is equal to "A" or "B" (',
      "when $.amount is at least 500 (",
      'when $.amount is at least 501 or $.country is equal to "A" or "B" (',
      'when $.amount is at least 500 or $.country is equal to "B" (',
      'when $.amount is at least 500 or $.country is equal to "A" (',
      'when $.amount is at least 500 and $.country is equal to "A" or "B" (',
    ]);
  });
});

describe("a mutant that is said to mean the same", () => {
  it("differs in no session that a comparison finds", async () => {
    const artifact = compiled(GATE_PACK);
    const meaning = new MeaningKept(artifact);
    let proved = 0;
    for (const mutant of mutantsOf(artifact)) {
      if ((await meaning.proofFor(mutant)) === null) continue;
      proved += 1;
      if (!isFull() && proved % 5 !== 0) continue;
      const found = await diffPacks(artifact, mutant.artifact, {
        bounds: { depth: 60, states: 300 },
        wording: sentenceOf,
      });
      expect
        .soft([changeWords(mutant), found.flatMap(({ divergences }) => divergences)])
        .toEqual([changeWords(mutant), []]);
    }
    expect(proved).toBeGreaterThan(3);
  }, 120_000);
});
