import { sumNumber } from "../../../base/exact-sum.js";
import { contributionOf } from "../../../guard/session/aggregate.js";
import type { SearchBounds } from "../../search/search.js";
import type { Candidate, Lockstep } from "./lockstep.js";
import type { PairProber } from "./pair-prober.js";
import { beginning, PairSearch } from "./pair-search.js";
import type { PairVisit, Watcher } from "./watcher.js";

/** The next call of the tool is few states away, or there is none. */
const LEG_STATES = 60;
/** Calls of the tool in one session. */
const MOST_LEGS = 60;

/** Which calls to prefer: those that add most to the sums of a session, or least. */
export type Preference = "most" | "least";

/** Repeats calls of one tool under both packs, with the shortest path from each call to the next. */
export class Drive {
  constructor(
    private readonly lockstep: Lockstep,
    private readonly tool: string,
    private readonly given: {
      readonly watcher: Watcher;
      readonly prober: () => PairProber;
      readonly bounds: SearchBounds;
      /** Whether everything was found. */
      readonly isDone: () => boolean;
    },
  ) {}

  run(preference: Preference): void {
    let visit: PairVisit | null = beginning(this.lockstep);
    for (let leg = 0; leg < MOST_LEGS && visit !== null && !this.given.isDone(); leg++)
      visit = this.leg(visit, leg, preference);
  }

  /** The pair after the next call of the tool; null if no call can be reached. */
  private leg(start: PairVisit, serial: number, preference: Preference): PairVisit | null {
    const { watcher, prober, bounds } = this.given;
    const search = new PairSearch(this.lockstep, this.tool, watcher, { depth: bounds.depth, states: LEG_STATES });
    const probing = prober();
    for (const visit of search.visits(start)) {
      probing.visit(visit);
      if (this.given.isDone()) return null;
      const [call] = this.openCalls(visit, serial, preference);
      if (call === undefined) continue;
      const [output = null] = this.lockstep.outputs(this.tool);
      return watcher.perform(visit, call, { kind: "result", output });
    }
    return null;
  }

  private openCalls({ pair }: PairVisit, serial: number, preference: Preference): readonly Candidate[] {
    const fresh = this.lockstep.suggested(this.tool, pair, (moves, tool, session) => [
      ...moves.fresh(tool, session, serial + 1),
      ...moves.probing(tool, session),
    ]);
    const open = fresh.filter((candidate) => this.lockstep.isOpenTo(pair, candidate));
    const sign = preference === "most" ? -1 : 1;
    return open
      .map((candidate) => ({ candidate, weight: sign * this.weight(candidate) }))
      .sort((a, b) => a.weight - b.weight)
      .map(({ candidate }) => candidate);
  }

  private weight({ args }: Candidate): number {
    const { program } = this.lockstep.old;
    const indices = program.tools.get(this.tool)?.aggregates ?? [];
    return indices.reduce((sum, index) => {
      const aggregate = program.aggregates[index];
      const contribution = aggregate === undefined ? null : contributionOf(aggregate, args);
      return contribution ? sum + sumNumber(contribution.total) : sum;
    }, 0);
  }
}
