import type { PackRule } from "../../../artifact/pack-rules.js";
import type { Json } from "../../../base/json.js";
import { isCumulative, isPersonal } from "../../search/goals.js";
import type { SearchBounds } from "../../search/search.js";
import { differingBinds } from "../static/differing-binds.js";
import { type Crossing, crossingValues, entriesOf } from "./crossing-values.js";
import { differingTexts } from "./differing-texts.js";
import type { DivergenceList } from "./divergence-list.js";
import { Drive } from "./drive.js";
import type { FoundChange } from "./found-change.js";
import { Lockstep } from "./lockstep.js";
import { sessionsToRules, sessionTo, Walker } from "./long-sessions.js";
import { loopSessions } from "./loop-sessions.js";
import { PairProber } from "./pair-prober.js";
import { PairSearch } from "./pair-search.js";
import { type JudgedPrincipal, mostPermitted, type Packs } from "./principals.js";
import { Watcher } from "./watcher.js";

/** A change may go in both directions; after one was found, the search continues for this many states. */
const PATIENCE = 150;
/** Principals that are judged differently, in each direction; each needs its own search. */
const MOST_PRINCIPALS = 2;

/** The changes that concern one tool. */
export interface Concern {
  readonly tool: string;
  readonly changes: readonly FoundChange[];
}

/** The changed rules of a tool in one pack. */
function changedRulesOf(packs: Packs, { tool, changes }: Concern, side: "old" | "new"): readonly PackRule[] {
  const ids = new Set(changes.map(({ change }) => (side === "old" ? change.oldRule : change.newRule)));
  return packs[side].rules.ofTool(tool).filter(({ id }) => ids.has(id));
}

/** The values that the old and new forms of a tool's changed rules may judge differently. */
export function crossingsOf(packs: Packs, concern: Concern): readonly Crossing[] {
  const { env } = packs.new;
  const { tool } = concern;
  const sides = ["old", "new"] as const;
  const rules = sides.flatMap((side) => changedRulesOf(packs, concern, side));
  const paths = rules.flatMap(({ body }) => entriesOf(body).arguments ?? []).map(({ path }) => path);
  return [
    ...sides.map((side) => crossingValues(packs[side], tool, { rules: changedRulesOf(packs, concern, side), env })),
    differingBinds(packs),
    differingTexts(packs, tool, paths),
  ];
}

/** Searches for calls of one tool that two packs judge differently. */
export class ToolComparison {
  private readonly names: ReadonlySet<string>;
  private readonly crossings: readonly Crossing[];
  /** The search was incomplete. */
  isBounded: boolean;

  constructor(
    private readonly packs: Packs,
    private readonly concern: Concern,
    private readonly given: {
      readonly bounds: SearchBounds;
      readonly principals: readonly JudgedPrincipal[];
      readonly list: DivergenceList;
    },
  ) {
    const { tool } = concern;
    this.names = new Set([...packs.old.cone.of([tool]), ...packs.new.cone.of([tool])]);
    this.crossings = crossingsOf(packs, concern);
    this.isBounded = [packs.old, packs.new].some(({ library }) => library.argumentsOf(tool).good.length === 0);
  }

  run(): void {
    const { tool } = this.concern;
    const principals = mostPermitted(this.given.principals, tool, this.names);
    const [best] = principals;
    this.search(best?.principal ?? null);
    if (!this.changed("old").some(isPersonal) && !this.changed("new").some(isPersonal)) return;
    const newlyAllowed = principals.filter(({ old, new: current }) => old.has(tool) && !current.has(tool));
    const newlyDenied = principals.filter(({ old, new: current }) => !old.has(tool) && current.has(tool));
    for (const { principal } of [...newlyAllowed.slice(0, MOST_PRINCIPALS), ...newlyDenied.slice(0, MOST_PRINCIPALS)]) {
      if (!this.isSettled()) this.search(principal);
    }
  }

  private search(principal: Json | null): void {
    const { bounds, list } = this.given;
    const { tool } = this.concern;
    const circumstances = { principal, env: this.packs.new.env };
    const lockstep = new Lockstep(this.packs, this.names, circumstances, this.crossings, tool);
    const watcher = new Watcher(lockstep, list);
    const prober = () => new PairProber(lockstep, tool, watcher);
    const walker = new Walker(lockstep, watcher, prober);
    for (const side of ["old", "new"] as const) {
      const rules = this.decisive(side);
      for (const { actions } of sessionsToRules(this.packs[side], tool, { rules, bounds, principal }))
        walker.walk(actions);
    }
    if (this.changed("new").some(({ body }) => body.kind === "loop_detection")) {
      const prefix = sessionTo(this.packs.new, tool, { bounds, principal }).plan?.actions.slice(0, -1) ?? [];
      for (const actions of loopSessions(lockstep, tool, prefix, bounds)) walker.walk(actions);
    }
    if (!this.isSettled() && this.isCounting()) {
      const isDone = () => this.isSettled();
      const drive = new Drive(lockstep, tool, { watcher, prober, bounds, isDone });
      drive.run("most");
      drive.run("least");
    }
    if (this.isSettled()) return;
    this.breadthFirst(new PairSearch(lockstep, tool, watcher, bounds), prober());
  }

  private breadthFirst(search: PairSearch, prober: PairProber): void {
    let since = 0;
    for (const visit of search.visits()) {
      prober.visit(visit);
      if (this.isSettled()) return;
      since = this.isPartlySettled() ? since + 1 : 0;
      if (since > PATIENCE) break;
    }
    // The search leaves out states with higher counts, so it proves nothing about counting rules.
    this.isBounded ||= search.isCut || since > PATIENCE || this.isCounting();
  }

  /** The rules whose refusals may show the difference: a loosened rule refused before, a tightened one refuses now. */
  private decisive(side: "old" | "new"): readonly PackRule[] {
    const idle = side === "old" ? "tightened" : "loosened";
    const changes = this.concern.changes.filter(({ change }) => change.kind !== idle);
    return changedRulesOf(this.packs, { ...this.concern, changes }, side);
  }

  private isCounting(): boolean {
    return [...this.changed("old"), ...this.changed("new")].some(isCumulative);
  }

  private changed(side: "old" | "new"): readonly PackRule[] {
    return changedRulesOf(this.packs, this.concern, side);
  }

  /** Every change was seen to make a difference in each direction that it can go. */
  private isSettled(): boolean {
    return this.concern.changes.every((change) => this.directions(change).every(Boolean));
  }

  /** Every change was seen to make a difference in one direction. */
  private isPartlySettled(): boolean {
    return this.concern.changes.every((change) => this.directions(change).some(Boolean));
  }

  /** For each direction that a change can go, whether a difference was seen. */
  private directions({ change, hasEffect }: FoundChange): readonly boolean[] {
    const { list } = this.given;
    const { tool } = this.concern;
    const { kind, oldRule, newRule } = change;
    const isOwn = change.tools.includes(tool) && (oldRule !== null || newRule !== null);
    if (!isOwn) return [list.hasAny(tool, "allowed"), list.hasAny(tool, "refused")];
    const allowed = list.has(tool, "allowed", oldRule);
    const refused = list.has(tool, "refused", newRule);
    if (hasEffect || kind === "changed") return [allowed, refused];
    return kind === "loosened" || kind === "removed" ? [allowed] : [refused];
  }
}
