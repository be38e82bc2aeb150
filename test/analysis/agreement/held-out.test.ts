import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isReseeded, seedOf } from "../../support/seed.js";
import { sizeOf } from "../../support/size.js";
import { compare } from "./compare.js";

/** Packs that nothing was ever tuned on; a miss on one of them is counted, not fixed by moving the range. */
const SEED = seedOf("HELD_OUT_SEED", 1_000_001);
const PACKS = sizeOf("HELD_OUT_PACKS", { share: 60, full: 500 });
/** What the documentation counts. */
const IS_DOCUMENTED = !isReseeded("HELD_OUT_SEED") && PACKS === 500;
/** More misses than this share of the packs are no exceptions any more. */
const MOST = 0.01;

const DOCUMENT = new URL("../../../docs/analysis.md", import.meta.url);

function documented(): string {
  const [sentence] = /Of (the )?[0-9,]+ held-out packs[^.]*\./.exec(readFileSync(DOCUMENT, "utf8")) ?? [];
  return sentence?.replaceAll("\n", " ") ?? "";
}

describe("the explorer and exhaustive enumeration on packs held out", () => {
  it("disagree on as few as the documentation says", async () => {
    const packs = { compared: 0, missed: 0 };
    const lines: string[] = [];
    for (let seed = SEED; seed < SEED + PACKS; seed++) {
      const comparison = await compare(seed);
      if (comparison === null) continue;
      packs.compared += 1;
      const { disagreements } = comparison;
      if (disagreements.some(({ kind }) => kind === "missed")) packs.missed += 1;
      lines.push(...disagreements.map(({ tool, event, kind }) => `seed ${seed}: ${event} of ${tool} is ${kind}`));
    }
    const { compared, missed } = packs;
    console.info(`seeds from ${SEED}: ${missed} of ${compared} packs with a miss\n${lines.join("\n")}`);
    // A witness is a fact: what the explorer shows is real on every pack.
    expect(lines.filter((line) => !line.endsWith("missed"))).toEqual([]);
    expect(missed).toBeLessThanOrEqual(Math.max(3, compared * MOST));
    if (IS_DOCUMENTED)
      expect(documented(), "the count in docs/analysis.md").toBe(
        `Of the ${compared} held-out packs ${missed} had a miss.`,
      );
  }, 600_000);
});
