import { beforeAll, describe, expect, it } from "vitest";
import { diffPacks } from "../../src/analysis/diff/diff-packs.js";
import { PackUnderTest } from "../../src/analysis/model/pack-under-test.js";
import { explore } from "../../src/analysis/search/exploration.js";
import type { Plan } from "../../src/analysis/trace/plan.js";
import type { Artifact } from "../../src/artifact/compiled.js";
import { sentenceOf } from "../../src/report/sentences.js";
import { isFull } from "../support/size.js";
import { freedoms, planOf, RandomPlay } from "./diff-ground-truth.js";
import { compiled, filesOf, type Mutant, mutantsOf, type PackFiles } from "./diff-mutants.js";

const BOUNDS = { depth: 60, states: 300 };
const SESSIONS = 300;
const CALLS = 8;
/** Far more than any takes: a machine may be busy. */
const TIMEOUT = 180_000;

/** Each pack with the share of its weakenings that is tried: one of `every` in the full run, one of twenty of those in the normal one. */
const PACKS = [
  { pack: "minimal", every: 1 },
  { pack: "refunds", every: 2 },
  { pack: "trading", every: 8 },
  { pack: "code-review/packs/orchestrator", every: 2 },
  { pack: "code-review/packs/worker", every: 2 },
] as const;

interface Weakening {
  readonly mutant: Mutant;
  readonly artifact: Artifact;
}

function artifactOf(files: PackFiles): Artifact {
  const artifact = compiled(files);
  if (artifact === null) throw new Error("the example does not compile");
  return artifact;
}

/** The first of each `every` mutants that compiles: the others are not even compiled. */
function weakeningsOf(files: PackFiles, every: number): readonly Weakening[] {
  const all = mutantsOf(files);
  const found: Weakening[] = [];
  for (let start = 0; start < all.length; start += every) {
    for (const mutant of all.slice(start, start + every)) {
      const artifact = compiled(mutant.files);
      if (artifact === null) continue;
      found.push({ mutant, artifact });
      break;
    }
  }
  return found;
}

/** Sessions at whose end one rule of a pack alone refuses a call. */
function witnesses(artifact: Artifact): readonly Plan[] {
  const [pack] = artifact.packs;
  if (pack === undefined) return [];
  const under = new PackUnderTest(artifact, pack);
  const { findings } = explore(under, BOUNDS);
  return under.rules.all.flatMap(({ id }) => findings.rule(id).alone ?? []);
}

const counts = { weakenings: 0, reported: 0, silent: 0, sessions: 0 };

describe.each(PACKS)("weakenings of $pack", ({ pack, every }) => {
  const files = filesOf(pack);
  const old = artifactOf(files);
  const weakenings = weakeningsOf(files, isFull() ? every : 20 * every);
  let known: readonly Plan[] = [];
  beforeAll(() => {
    known = witnesses(old);
  }, TIMEOUT);

  /** 1 for a session that goes alike up to its last call, which is freer now; -1 where that is less free; else 0. */
  async function turn(artifact: Artifact, plan: Plan): Promise<number> {
    const [before, after] = [await freedoms(old, plan), await freedoms(artifact, plan)];
    if (before.slice(0, -1).some((freedom, at) => freedom > 0 !== (after[at] ?? 0) > 0)) return 0;
    return Math.sign((after.at(-1) ?? 0) - (before.at(-1) ?? 0));
  }

  async function newlyAllowed(artifact: Artifact): Promise<readonly Plan[]> {
    const found: Plan[] = [];
    for (const plan of known) if ((await turn(artifact, plan)) === 1) found.push(plan);
    return found;
  }

  it.each(weakenings)(
    "$mutant.name is reported if it changes what is allowed, and only then",
    async ({ artifact }) => {
      const [difference] = await diffPacks(old, artifact, { bounds: BOUNDS, wording: sentenceOf });
      const divergences = difference?.divergences ?? [];
      counts.weakenings += 1;
      counts.sessions += divergences.length;
      for (const { now, trace } of divergences) {
        expect(await turn(artifact, planOf(trace))).toBe(now === "allowed" ? 1 : -1);
      }
      const isLoosened = divergences.some(({ now }) => now === "allowed");
      if (!isLoosened) expect(await newlyAllowed(artifact)).toEqual([]);
      if (divergences.length > 0) {
        counts.reported += 1;
        return;
      }
      counts.silent += 1;
      expect(new RandomPlay([old, artifact], files).difference(SESSIONS, CALLS)).toBeNull();
    },
    TIMEOUT,
  );
});

describe("all weakenings together", () => {
  it("are enough, and most of them change what is allowed", () => {
    console.log(
      `${counts.weakenings} weakenings: ${counts.reported} reported with ${counts.sessions} sessions, ${counts.silent} change nothing`,
    );
    expect(counts.weakenings).toBeGreaterThanOrEqual(isFull() ? 200 : 10);
    expect(counts.reported).toBeGreaterThan(counts.silent);
  });
});
