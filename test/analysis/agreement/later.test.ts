import { describe, expect, it } from "vitest";
import { PackUnderTest } from "../../../src/analysis/model/pack-under-test.js";
import { verify } from "../../../src/analysis/verify.js";
import { seedOf } from "../../support/seed.js";
import { sizeOf } from "../../support/size.js";
import { compileSmall } from "./compile-small.js";
import { claimsOf } from "./small-claims.js";
import { smallPack } from "./small-pack.js";

const PACKS = sizeOf("LATER_PACKS", { share: 12, full: 300 });
const SEED = seedOf("LATER_SEED", 1);
const BOUNDS = { depth: 12, states: 150 };
const TIMEOUT = 300_000 + 2_000 * PACKS;

describe("what is shown of random packs of language 1.1", () => {
  // Every session that shows something is replayed on a guard; one that it judges differently, or that contradicts a proof, throws.
  it(
    "is done by the guard as it is shipped",
    async () => {
      const counts = { packs: 0, fires: 0, never_alone: 0, cannot_fire: 0, not_shown: 0, requires: 0 };
      for (let seed = SEED; seed < SEED + PACKS; seed++) {
        const small = smallPack(seed, "later");
        const artifact = compileSmall(small.pack);
        const [pack] = artifact?.packs ?? [];
        if (artifact === null || pack === undefined) continue;
        // Each claim has a search of its own; a few of each pack are enough.
        const all = claimsOf(small.domain(new PackUnderTest(artifact, pack).env));
        const claims = all.filter((_, at) => (at + seed) % 6 === 0);
        const [found] = await verify(artifact, [claims], BOUNDS).catch((cause: unknown) => {
          throw new Error(`seed ${seed}`, { cause });
        });
        counts.packs += 1;
        for (const { rule, status } of found?.rules ?? []) {
          counts[status] += 1;
          if (status === "fires" && rule.startsWith("requires")) counts.requires += 1;
        }
      }
      console.info(counts);
      expect(Math.min(counts.packs, counts.requires)).toBeGreaterThan(PACKS / 4);
    },
    TIMEOUT,
  );
});
