import { describe, expect, it } from "vitest";
import { seedOf } from "../support/seed.js";
import { sizeOf } from "../support/size.js";
import { plainCase } from "./generate/plain-case.js";
import { Random } from "./generate/random.js";
import { generateCase } from "./generate.js";
import { brokenLaws, playOnReference } from "./reference-play.js";

const SEED = seedOf("DIFFERENTIAL_SEED", 1);
const PACKS = sizeOf("ADDITIONS_PACKS", { share: 200, full: 2_000 });
/** Every one has to occur in so few sessions, or a comparison of guards would hardly see it. */
const WANTED = [
  "allow",
  "requirement_failed",
  "requirement_unjudgeable",
  "pending_conflict",
  "bind_missing",
  "aggregate_exceeded",
  "session_limit_exceeded",
  "violation",
];

describe("generated packs of language 1.1", () => {
  it("lead to every answer that the additions have", () => {
    const seeds = new Random(SEED);
    const counts = new Map<string, number>();
    for (let packs = 0; packs < PACKS; packs += 1) {
      const { pack, traces } = generateCase(seeds.fork(), 4);
      for (const trace of traces) {
        for (const word of playOnReference(pack, trace)) counts.set(word, (counts.get(word) ?? 0) + 1);
      }
    }
    console.info(Object.fromEntries(counts));
    expect(WANTED.filter((word) => (counts.get(word) ?? 0) < 5)).toEqual([]);
  }, 600_000);

  it("never have a requirement that a call keeps and breaks once the calls before it have ended", () => {
    const seeds = new Random(SEED);
    for (let packs = 0; packs < PACKS; packs += 1) {
      const seed = seeds.fork();
      const { pack, traces } = plainCase(seed);
      for (const trace of traces) expect(brokenLaws(pack, trace, new Random(seed)), `case seed ${seed}`).toEqual([]);
    }
  }, 600_000);
});
