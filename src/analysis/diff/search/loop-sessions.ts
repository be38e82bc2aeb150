import type { CheckOf } from "../../../artifact/compiled.js";
import { canonicalJson } from "../../../base/canonical-json.js";
import type { Proposal } from "../../../guard/program/program.js";
import type { Session } from "../../../guard/session/session.js";
import type { SearchBounds } from "../../search/search.js";
import type { Action, PlannedOutcome } from "../../trace/plan.js";
import type { Candidate, Lockstep, Pair } from "./lockstep.js";
import type { PackSide } from "./pack-side.js";

type Loop = CheckOf<"loop_detection">;
type Call = Action & { readonly kind: "call" };

function loopOf({ program }: PackSide, tool: string): Loop | undefined {
  const checks = program.tools.get(tool)?.compiled?.checks ?? [];
  return checks.find((check) => check.kind === "loop_detection");
}

/** Makes calls under both packs as long as both allow them. */
class Play {
  private pair: Pair;
  readonly actions: Action[] = [];

  constructor(private readonly lockstep: Lockstep) {
    this.pair = lockstep.begin();
  }

  /** Makes a call if both packs allow it and its result is useful. */
  make({ tool, args, outcome }: Call, isUseful: (pair: Pair) => boolean = () => true): boolean {
    const candidate = this.lockstep.candidate(tool, args);
    if (!this.lockstep.isOpenTo(this.pair, candidate)) return false;
    const outcomes = this.lockstep.perform(this.pair, candidate, outcome);
    if (outcomes === null || !isUseful(outcomes.pair)) return false;
    this.pair = outcomes.pair;
    this.actions.push({ kind: "call", tool, args, outcome });
    return true;
  }

  /** Makes a new call after which only loop detection may refuse the repeated one. */
  makeOther(repeated: Call): boolean {
    const made = new Set(this.actions.map((action) => (action.kind === "call" ? canonicalJson(action.args) : "")));
    const again = this.lockstep.candidate(repeated.tool, repeated.args);
    const isUseful = (pair: Pair) =>
      this.isFreeBut(this.lockstep.old, pair.old, again.old) && this.isFreeBut(this.lockstep.new, pair.new, again.new);
    return this.lockstep.tools.some((tool) => {
      const [output = null] = this.lockstep.outputs(tool);
      const others = [...this.lockstep.likely(tool, this.pair), ...this.fresh(tool)];
      const unmade = others.filter(({ args }) => !made.has(canonicalJson(args)));
      // A failed call leaves only its entry in the window, and an error.
      const outcomes: readonly PlannedOutcome[] = [{ kind: "failed" }, { kind: "result", output }];
      return outcomes.some((outcome) =>
        unmade.some(({ args }) => this.make({ kind: "call", tool, args, outcome }, isUseful)),
      );
    });
  }

  private isFreeBut(side: PackSide, session: Session, proposal: Proposal | null): boolean {
    const obstacle = side.obstacle(session, proposal)?.body.kind ?? "loop_detection";
    return !session.isKilled && (obstacle === "loop_detection" || obstacle === "checkpoint");
  }

  private fresh(tool: string): readonly Candidate[] {
    const serial = this.actions.length;
    return this.lockstep.suggested(tool, this.pair, (moves, known, session) => moves.fresh(known, session, serial));
  }

  likely(tool: string): Call | null {
    const open = this.lockstep
      .likely(tool, this.pair)
      .find((candidate) => this.lockstep.isOpenTo(this.pair, candidate));
    return open === undefined ? null : { kind: "call", tool, args: open.args, outcome: { kind: "failed" } };
  }
}

/**
 * Sessions that distinguish loop windows of two lengths: the repeated calls come first, others follow until the shorter
 * window has lost one of them, then the call comes once more.
 */
export function loopSessions(
  lockstep: Lockstep,
  tool: string,
  prefix: readonly Action[],
  { depth }: SearchBounds,
): readonly (readonly Action[])[] {
  const [before, after] = [loopOf(lockstep.old, tool), loopOf(lockstep.new, tool)];
  if (before === undefined || after === undefined || before.window === after.window) return [];
  const longer = before.window > after.window ? before : after;
  if (prefix.length + Math.max(longer.window, longer.threshold) > depth) return [];
  const play = new Play(lockstep);
  for (const action of prefix) if (action.kind !== "call" || !play.make(action)) return [];
  const call = play.likely(tool);
  if (call === null) return [];
  for (let count = 1; count < longer.threshold; count++) if (!play.make(call)) return [];
  for (let count = longer.threshold; count < longer.window; count++) if (!play.makeOther(call)) return [];
  return [[...play.actions, call]];
}
