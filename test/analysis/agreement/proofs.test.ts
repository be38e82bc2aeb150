import { describe, expect, it } from "vitest";
import { PackUnderTest } from "../../../src/analysis/model/pack-under-test.js";
import { isDeadEnd } from "../../../src/analysis/proof/dead-end.js";
import { Prover } from "../../../src/analysis/proof/prover.js";
import type { CompiledPack } from "../../../src/artifact/compiled.js";
import type { PackRule } from "../../../src/artifact/pack-rules.js";
import { prepareProgram } from "../../../src/guard/program/prepare-program.js";
import type { Proposal } from "../../../src/guard/program/program.js";
import { Random } from "../../differential/generate/random.js";
import { seedOf } from "../../support/seed.js";
import { sizeOf } from "../../support/size.js";
import { brokenBy } from "./broken-by.js";
import { compileSmall } from "./compile-small.js";
import { RandomSession, type Watcher } from "./random-session.js";
import { type CallClaim, claimsOf } from "./small-claims.js";
import { type Edition, type SmallPack, smallPack } from "./small-pack.js";

const PACKS = sizeOf("AGREEMENT_PACKS", { share: 80, full: 600 });
const SEED = seedOf("PROOFS_SEED", 1);
const SESSIONS = 40;
const EVENTS = 14;
/** Far more than it takes: a machine may be busy. */
const TIMEOUT = 300_000 + 500 * PACKS;

/** An expired approval allows half of the calls that need one. */
function withSilence(small: SmallPack, random: Random): SmallPack["pack"] {
  const { tools, session, definitions } = small.pack;
  const silent = <T extends object>(checkpoint: T): T =>
    random.chance(0.5) ? { ...checkpoint, on_timeout: "allow" } : checkpoint;
  return {
    definitions,
    tools: tools.map((tool) => ({ ...tool, ...(tool.checkpoint ? { checkpoint: silent(tool.checkpoint) } : {}) })),
    session:
      session === null
        ? null
        : { ...session, ...(session.checkpoints ? { checkpoints: session.checkpoints.map(silent) } : {}) },
  };
}

/** Fails where a session does what was proved to be impossible. */
class Doubter implements Watcher {
  readonly problems: string[] = [];
  private readonly never: ReadonlySet<string>;
  private readonly idle: ReadonlySet<string>;
  readonly proved: readonly CallClaim[];
  /** Claims that no other argument proves. */
  readonly byControl: number;
  /** In each session, the phases that were proved to be out of reach. */
  private lost = new WeakMap<RandomSession, Set<string>>();
  lostPhases = 0;

  constructor(
    private readonly under: PackUnderTest,
    claims: readonly CallClaim[],
  ) {
    const prover = new Prover(under.pack, under.rules);
    const isNever = (name: string) => prover.neverAllowed(name) !== null || prover.neverByControl(name) !== null;
    this.never = new Set(under.pack.tools.map(({ name }) => name).filter(isNever));
    const isIdle = (rule: PackRule) => prover.cannotFire(rule) !== null || prover.cannotFireByControl(rule) !== null;
    this.idle = new Set(under.rules.all.filter(isIdle).map(({ id }) => id));
    const byControl = claims.filter((claim) => prover.holdsByControl(claim) !== null);
    this.byControl = byControl.filter((claim) => prover.holds(claim) === null).length;
    this.proved = claims.filter((claim) => prover.holds(claim) !== null || byControl.includes(claim));
  }

  get counts() {
    return {
      never: this.never.size,
      idle: this.idle.size,
      proved: this.proved.length,
      byControl: this.byControl,
      lost: this.lostPhases,
    };
  }

  private fail(what: string, walk: RandomSession): void {
    this.problems.push(`${what}: ${JSON.stringify(walk.story)}`);
  }

  acted(walk: RandomSession, rules: readonly PackRule[]): void {
    for (const { id } of rules) if (this.idle.has(id)) this.fail(`${id} acts`, walk);
  }

  rested(walk: RandomSession): void {
    const { session, program } = walk;
    const lost = this.lost.get(walk) ?? new Set<string>();
    this.lost.set(walk, lost);
    if (session.phase !== null && lost.has(session.phase)) this.fail(`${session.phase} is reached`, walk);
    for (const phase of this.under.pack.phases?.names ?? []) {
      if (lost.has(phase) || !isDeadEnd(program, session, [phase])) continue;
      lost.add(phase);
      this.lostPhases += 1;
    }
  }

  allowed(walk: RandomSession, call: { readonly proposal: Proposal; readonly isApproved: boolean }): void {
    const { name } = call.proposal.tool;
    if (this.never.has(name)) this.fail(`${name} is allowed`, walk);
    for (const claim of this.proved) {
      if (brokenBy(claim, walk, call)) this.fail(`${JSON.stringify(claim)} breaks`, walk);
    }
  }
}

function doubted(seed: number, edition: Edition): Doubter | null {
  const random = new Random(seed * 7919);
  const small = smallPack(seed, edition);
  const artifact = compileSmall(withSilence(small, random));
  const pack: CompiledPack | undefined = artifact?.packs[0];
  if (artifact === null || pack === undefined) return null;
  const under = new PackUnderTest(artifact, pack);
  const domain = small.domain(under.env);
  const doubter = new Doubter(under, claimsOf(domain));
  for (let at = 0; at < SESSIONS; at++) {
    const principal = random.pick(domain.principals);
    const program = prepareProgram(artifact, pack, { env: under.env, principal });
    new RandomSession(program, { rules: under.rules, domain, random, watcher: doubter }).run(EVENTS);
  }
  return doubter;
}

describe("what is proved of random packs", () => {
  it.each<Edition>(["plain", "later"])(
    "is contradicted by no session, whatever happens in it (%s packs)",
    (edition) => {
      // Sessions with expressions and several unsettled calls take longer.
      const packs = edition === "plain" ? PACKS : Math.ceil(PACKS / 3);
      const counts = { packs: 0, never: 0, idle: 0, proved: 0, byControl: 0, lost: 0 };
      for (let seed = SEED; seed < SEED + packs; seed++) {
        const doubter = doubted(seed, edition);
        if (doubter === null) continue;
        expect({ seed, problems: doubter.problems.slice(0, 3) }).toEqual({ seed, problems: [] });
        const { never, idle, proved, byControl, lost } = doubter.counts;
        counts.packs += 1;
        counts.never += never;
        counts.idle += idle;
        counts.proved += proved;
        counts.byControl += byControl;
        counts.lost += lost;
      }
      console.info(edition, counts);
      expect(Math.min(counts.never, counts.proved, counts.byControl, counts.lost)).toBeGreaterThan(packs / 10);
    },
    TIMEOUT,
  );
});
