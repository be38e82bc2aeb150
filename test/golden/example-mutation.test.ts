import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MutationRun } from "../../src/cli/golden/mutation.js";
import { type Mutation, mutationScore } from "../../src/cli/golden/mutation-result.js";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import { sectionOf, tableRows, textOf } from "../support/documents.js";
import { REPOSITORY } from "../support/run-cli.js";

const DOCUMENT = textOf("docs/mutation.md");

/** Far more than any takes: a machine may be busy. */
const TIMEOUT = 300_000;

async function mutationOf(pack: string): Promise<Mutation> {
  const { artifact, golden, scenarios } = compileFolder(join(REPOSITORY, "contracts", pack));
  if (artifact === null) throw new Error(`${pack} does not compile`);
  return new MutationRun(artifact, { golden, scenarios }, {}).run(() => ({ add: () => {}, end: () => {} }), {
    searches: false,
  });
}

function survivorsIn(pack: string): readonly string[] {
  const rows = tableRows(sectionOf(DOCUMENT, "## Survivors")).filter(([name]) => name === pack);
  return rows.map(([, rule = ""]) => rule).sort();
}

describe("the tests of the example packs", () => {
  it.each(tableRows(sectionOf(DOCUMENT, "## The example packs")))(
    "notice the mutants of %s that docs/mutation.md does not explain: %s, %s killed",
    async (pack = "", ...documented) => {
      const mutation = await mutationOf(pack);
      const { killed, redundant, survivors } = mutation;
      const score = mutationScore(mutation);
      const counts = [killed + survivors.length + redundant, killed, survivors.length, redundant, `${score} %`];
      expect(counts.map(String)).toEqual(documented);
      expect(score).toBeGreaterThanOrEqual(95);
      expect(survivors.map(({ rule: { at } }) => `${at?.file}:${at?.line}`).sort()).toEqual(survivorsIn(pack));
    },
    TIMEOUT,
  );
});
