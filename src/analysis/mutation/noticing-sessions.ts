import type { Artifact, CompiledPack } from "../../artifact/compiled.js";
import type { PackRule } from "../../artifact/pack-rules.js";
import { DEFAULT_BOUNDS } from "../default-bounds.js";
import { diffArtifacts } from "../diff/diff-packs.js";
import { PackUnderTest } from "../model/pack-under-test.js";
import { explore } from "../search/exploration.js";
import type { SearchBounds } from "../search/search.js";
import type { Plan } from "../trace/plan.js";
import { playerOf } from "../trace/replay.js";
import type { Trace } from "../trace/trace.js";
import { plannedActions } from "../workflow/trace-plan.js";
import type { Mutant } from "./mutants.js";
import { SessionPool } from "./session-pool.js";

/** Enough for a comparison to find a session that shows one changed rule; longer ones would make no readable test. */
const BOUNDS: SearchBounds = { depth: 60, states: 300 };

/** Searches for sessions that would notice a mutant. */
export class NoticingSessions {
  private readonly pools = new Map<number, SessionPool>();
  private readonly played = new Map<Plan, Promise<Trace>>();

  constructor(
    private readonly artifact: Artifact,
    private readonly wording: (rule: PackRule) => string,
  ) {}

  /**
   * Sessions as the pack itself judges them, those that are known first, then those that a comparison of both packs finds.
   * Whether one notices the mutant, playing it shows.
   */
  async *sessionsFor({ artifact, pack: index, rule }: Mutant): AsyncGenerator<Trace> {
    const pack = this.artifact.packs[index];
    if (pack === undefined || pack.tools.length === 0) return;
    const player = playerOf(this.artifact, pack);
    for (const plan of this.poolOf(index, pack).plansFor(rule.tools)) {
      const trace = this.played.get(plan) ?? player.play(plan).then((replayed) => replayed.trace);
      this.played.set(plan, trace);
      yield trace;
    }
    const { packs } = await diffArtifacts(this.artifact, artifact, { bounds: BOUNDS, wording: this.wording });
    for (const { trace: found } of packs[index]?.divergences ?? []) {
      const { principal, env } = found;
      yield (await player.play({ principal, env, actions: plannedActions(found) })).trace;
    }
  }

  private poolOf(index: number, pack: CompiledPack): SessionPool {
    const known = this.pools.get(index);
    if (known !== undefined) return known;
    const under = new PackUnderTest(this.artifact, pack);
    const pool = new SessionPool(under, explore(under, DEFAULT_BOUNDS));
    this.pools.set(index, pool);
    return pool;
  }
}
