import type { Artifact } from "../../artifact/compiled.js";
import type { PackRule } from "../../artifact/pack-rules.js";
import { diffArtifacts } from "../diff/diff-packs.js";
import { PackUnderTest } from "../model/pack-under-test.js";
import { type Exploration, explore } from "../search/exploration.js";
import type { SearchBounds } from "../search/search.js";
import type { Plan } from "../trace/plan.js";
import { playerOf } from "../trace/replay.js";
import type { Trace } from "../trace/trace.js";
import { plannedActions } from "../workflow/trace-plan.js";
import type { Mutant } from "./mutants.js";

/** Enough for a session that shows one changed rule; a test that nobody can read helps nobody. */
const BOUNDS: SearchBounds = { depth: 60, states: 300 };

/** Searches for sessions that would notice a mutant. */
export class NoticingSessions {
  private readonly explorations = new Map<number, Exploration>();

  constructor(
    private readonly artifact: Artifact,
    private readonly wording: (rule: PackRule) => string,
  ) {}

  /**
   * Sessions as the pack itself judges them, the cheapest first: the one in which the rule alone refuses, then those that a
   * comparison of both packs finds. Whether a session notices the mutant, playing it shows.
   */
  async *sessionsFor({ artifact, pack: index, rule }: Mutant): AsyncGenerator<Trace> {
    const pack = this.artifact.packs[index];
    if (pack === undefined || pack.tools.length === 0) return;
    const player = playerOf(this.artifact, pack);
    const play = async (plan: Plan) => (await player.play(plan)).trace;
    const { alone } = this.explorationOf(index, pack).findings.rule(rule.id);
    if (alone !== null) yield play(alone);
    const { packs } = await diffArtifacts(this.artifact, artifact, { bounds: BOUNDS, wording: this.wording });
    for (const { trace } of packs[index]?.divergences ?? []) {
      yield play({ principal: trace.principal, env: trace.env, actions: plannedActions(trace) });
    }
  }

  private explorationOf(index: number, pack: Artifact["packs"][number]): Exploration {
    const known = this.explorations.get(index) ?? explore(new PackUnderTest(this.artifact, pack), BOUNDS);
    this.explorations.set(index, known);
    return known;
  }
}
