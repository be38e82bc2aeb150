import { PackUnderTest } from "../../../src/analysis/model/pack-under-test.js";
import { type Exploration, explore } from "../../../src/analysis/search/exploration.js";
import type { Action, Plan } from "../../../src/analysis/trace/plan.js";
import { Player } from "../../../src/analysis/trace/replay.js";
import type { TraceStep } from "../../../src/analysis/trace/trace.js";
import type { Artifact, CompiledPack } from "../../../src/artifact/compiled.js";
import type { PackRule } from "../../../src/artifact/pack-rules.js";
import { canonicalJson } from "../../../src/base/canonical-json.js";
import { BruteForce, type Event, type Reach, stepsOf } from "./brute-force.js";
import { compileSmall } from "./compile-small.js";
import { type Domain, type SmallPack, smallPack } from "./small-pack.js";

/** How far brute force goes. */
const REACH: Reach = { depth: 4, states: 40 };
/** How far the explorer may go: farther than any of these packs needs. */
const BOUNDS = { depth: 30, states: 1000 };

/** Something that one finds and the other does not. */
export interface Disagreement {
  readonly tool: string;
  readonly event: Event;
  /** `missed`: the explorer did not find it. `unreal`: it does not happen as the explorer says. `unknown`: brute force has not got it. */
  readonly kind: "missed" | "unreal" | "unknown";
  /** The session that shows it. */
  readonly session: unknown;
}

/** What comparing the two on one pack gave; null for a pack that does not compile. */
export interface Comparison {
  readonly small: SmallPack;
  /** Events of tools that both have, and those of tools that the explorer was cut off at. */
  readonly agreed: readonly Event[];
  readonly skipped: number;
  readonly disagreements: readonly Disagreement[];
  /** What the explorer says that lies within what brute force looked at. */
  readonly within: number;
}

const EVENTS_OF_RULES: Partial<Record<PackRule["body"]["kind"], Event>> = {
  checkpoint: "approval",
  output_invariant: "output_invariant_failed",
  output_stage: "output_stage_violated",
};

/** Every event of a tool that the explorer found, with its session. */
function explored({ findings }: Exploration, tool: string, rules: readonly PackRule[]): ReadonlyMap<Event, Plan> {
  const events = new Map<Event, Plan>(findings.reasons(tool));
  const allowed = findings.allowedCall(tool);
  if (allowed !== null) events.set("allowed", allowed);
  for (const { id, body } of rules) {
    const event = EVENTS_OF_RULES[body.kind];
    const { alone, together } = findings.rule(id);
    const plan = alone ?? together?.plan ?? null;
    if (event !== undefined && plan !== null) events.set(event, plan);
  }
  return events;
}

function shows(last: TraceStep | undefined, event: Event): boolean {
  if (last?.kind !== "call") return false;
  if (event === "allowed") return last.verdict.kind !== "block";
  if (event === "approval") return last.verdict.kind === "approval";
  if (last.verdict.kind === "block") return last.verdict.reason === event;
  return last.outcome?.kind === "violated" && last.outcome.reason === event;
}

/** Whether brute force looked at sessions like this one. */
class Scope {
  constructor(
    private readonly domain: Domain,
    private readonly depth: number,
  ) {}

  holds({ principal, actions }: Plan): boolean {
    const calls = actions.filter((action) => action.kind === "call");
    const before = calls.slice(0, -1).filter(({ outcome }) => outcome.kind !== "open");
    if (!this.domain.principals.some((known) => canonicalJson(known) === canonicalJson(principal))) return false;
    // One call may be open beside the one that is judged; more, and failures, it leaves out.
    const isPlain = calls.slice(0, -2).every(({ outcome }) => outcome.kind === "result");
    return isPlain && before.length <= this.depth && actions.every((action) => this.knows(action));
  }

  private knows(action: Action): boolean {
    if (action.kind === "step" || action.kind === "settle" || action.kind === "clock") return false;
    if (action.kind === "label") return this.domain.labels.includes(action.label);
    if (action.kind === "cost") return this.domain.costs.includes(action.usd);
    const { args = [], outputs = [] } = this.domain.tools.get(action.tool) ?? {};
    const isIn = (list: readonly unknown[], value: unknown) => list.some((item) => text(item) === text(value));
    const { outcome } = action;
    if (outcome.kind === "failed" || outcome.kind === "lost") return false;
    return isIn(args, action.args) && (outcome.kind !== "result" || isIn(outputs, outcome.output));
  }
}

function text(value: unknown): string {
  return canonicalJson(JSON.parse(JSON.stringify(value)));
}

class Comparing {
  private readonly under: PackUnderTest;
  private readonly exploration: Exploration;
  private readonly brute: BruteForce;
  private readonly player: Player;
  private readonly scope: Scope;
  private readonly agreed: Event[] = [];
  private readonly disagreements: Disagreement[] = [];
  private skipped = 0;
  private within = 0;

  constructor(
    artifact: Artifact,
    pack: CompiledPack,
    private readonly small: SmallPack,
  ) {
    this.under = new PackUnderTest(artifact, pack);
    this.exploration = explore(this.under, BOUNDS);
    const domain = small.domain(this.under.env);
    this.brute = new BruteForce(artifact, domain, REACH);
    this.player = new Player(artifact, undefined);
    this.scope = new Scope(domain, this.brute.depth);
  }

  async run(): Promise<Comparison> {
    for (const { name } of this.under.pack.tools) {
      const events = explored(this.exploration, name, this.under.rules.ofTool(name));
      this.seekMissing(name, events);
      for (const [event, plan] of events) await this.check(name, event, plan);
    }
    const { small, agreed, skipped, disagreements, within } = this;
    return { small, agreed, skipped, disagreements, within };
  }

  /** What brute force found, the explorer must have found. */
  private seekMissing(tool: string, events: ReadonlyMap<Event, Plan>): void {
    for (const [event, way] of this.brute.eventsOf(tool)) {
      if (events.has(event)) this.agreed.push(event);
      else if (this.exploration.unfinished.has(tool)) this.skipped += 1;
      else this.disagreements.push({ tool, event, kind: "missed", session: stepsOf(way) });
    }
  }

  /** What the explorer found must happen, and brute force must have it where it looked. */
  private async check(tool: string, event: Event, plan: Plan): Promise<void> {
    const { trace } = await this.player.play(plan);
    const last = trace.steps.at(-1);
    if (!shows(last, event)) this.disagreements.push({ tool, event, kind: "unreal", session: trace });
    if (!this.scope.holds(plan)) return;
    this.within += 1;
    const own = last?.kind === "call" ? last.tool : tool;
    if (this.brute.eventsOf(own).has(event)) return;
    this.disagreements.push({ tool, event, kind: "unknown", session: trace });
  }
}

/** Compares the explorer with brute force on the pack of a seed. */
export async function compare(seed: number): Promise<Comparison | null> {
  const small = smallPack(seed);
  const artifact = compileSmall(small.pack);
  const pack = artifact?.packs[0];
  return artifact === null || pack === undefined ? null : new Comparing(artifact, pack, small).run();
}
