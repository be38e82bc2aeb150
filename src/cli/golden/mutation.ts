import { type Mutant, mutantsOf } from "../../analysis/mutation/mutants.js";
import { NoticingSessions } from "../../analysis/mutation/noticing-sessions.js";
import { scenarioOfTrace } from "../../analysis/mutation/scenario-of-trace.js";
import { MeaningKept } from "../../analysis/mutation/unchanged-meaning.js";
import type { Artifact } from "../../artifact/compiled.js";
import type { PackRule } from "../../artifact/pack-rules.js";
import { invariant } from "../../base/invariant.js";
import type { Playing } from "../../golden/play-case.js";
import { playingsOf } from "../../golden/play-golden-cases.js";
import { playScenario } from "../../golden/play-scenario.js";
import { sentenceOf } from "../../report/sentences.js";
import { changeWords, scenarioName } from "./mutant-words.js";
import type { Mutation, Survivor } from "./mutation-result.js";
import { type PackTest, type PackTests, playTest, testsAt } from "./tests-of-pack.js";

/** What is told of each part of the work that is done. */
export interface Meter {
  add(count: number): void;
  end(): void;
}

type Noticing = NonNullable<Survivor["noticing"]>;

/** Plays the tests of a pack on weaker forms of it. */
export class MutationRun {
  private readonly meaning: MeaningKept;
  private readonly sessions: NoticingSessions;
  /** Sessions that were found for a mutant often notice others too. */
  private readonly found: (Noticing & { readonly pack: number })[] = [];
  /** By pack: its tests, those first that were the last to kill a mutant. */
  private readonly lastKilling = new Map<number, PackTest[]>();

  constructor(
    private readonly artifact: Artifact,
    private readonly tests: PackTests,
    private readonly env: Playing["env"],
  ) {
    this.meaning = new MeaningKept(artifact);
    this.sessions = new NoticingSessions(artifact, sentenceOf);
  }

  /** Plays all mutants; the search for sessions that would notice the survivors takes most of the time. */
  async run(meterOf: (size: number) => Meter, { searches = true } = {}): Promise<Mutation> {
    const mutants = mutantsOf(this.artifact);
    const meter = meterOf(mutants.length);
    try {
      return await this.play(mutants, meter, searches);
    } finally {
      meter.end();
    }
  }

  private async play(mutants: readonly Mutant[], meter: Meter, searches: boolean): Promise<Mutation> {
    const redundantRules = new Set<PackRule>();
    const survivors: Survivor[] = [];
    let killed = 0;
    let redundant = 0;
    for (const mutant of mutants) {
      if (await this.isKilled(mutant)) {
        killed += 1;
      } else {
        const proof = await this.meaning.proofFor(mutant);
        if (proof !== null) redundant += 1;
        if (proof === "redundant" && mutant.rule.body.kind !== "capture") redundantRules.add(mutant.rule);
        if (proof === null) survivors.push(await this.survivor(mutant, searches));
      }
      meter.add(1);
    }
    return { killed, survivors, redundant, redundantRules: [...redundantRules] };
  }

  private async isKilled({ artifact, pack }: Mutant): Promise<boolean> {
    const playing = playingsOf(artifact, this.env)[pack];
    invariant(playing !== undefined, "a mutant has the packs of the artifact");
    const tests = this.lastKilling.get(pack) ?? [...testsAt(this.tests, pack)];
    this.lastKilling.set(pack, tests);
    for (const [at, test] of tests.entries()) {
      if ((await playTest(playing, test)).ok) continue;
      // The next mutant is often of the same rule.
      tests.splice(at, 1);
      tests.unshift(test);
      return true;
    }
    return false;
  }

  private async survivor(mutant: Mutant, searches: boolean): Promise<Survivor> {
    const { rule } = mutant;
    return { rule, change: changeWords(mutant), noticing: searches ? await this.noticing(mutant) : null };
  }

  private async noticing(mutant: Mutant): Promise<Noticing | null> {
    for (const known of this.found) {
      if (known.pack === mutant.pack && (await this.notices(known, mutant))) return known;
    }
    for await (const trace of this.sessions.sessionsFor(mutant)) {
      const one = { scenario: scenarioOfTrace(trace, scenarioName(mutant)), env: trace.env, pack: mutant.pack };
      if (!(await this.notices(one, mutant))) continue;
      this.found.push(one);
      return one;
    }
    return null;
  }

  /** Whether a scenario passes on the pack and fails on the mutant. */
  private async notices({ scenario, env }: Noticing, { artifact, pack }: Mutant): Promise<boolean> {
    const fails = async (of: Artifact) => {
      const playing = playingsOf(of, env)[pack];
      invariant(playing !== undefined, "a mutant has the packs of the artifact");
      return (await playScenario(playing, scenario)).failure !== null;
    };
    return !(await fails(this.artifact)) && (await fails(artifact));
  }
}
