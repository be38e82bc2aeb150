import { refusingRules } from "../../../src/analysis/model/rule-parts.js";
import { brokenRules } from "../../../src/analysis/search/broken-outputs.js";
import { timeIn } from "../../../src/analysis/state/clock.js";
import type { PackRule, PackRules } from "../../../src/artifact/pack-rules.js";
import type { Json, JsonObject } from "../../../src/base/json.js";
import { decide } from "../../../src/guard/decide/decide.js";
import type { Program, Proposal, Tool } from "../../../src/guard/program/program.js";
import { proposalOf } from "../../../src/guard/program/proposal.js";
import type { ToolEffects } from "../../../src/guard/program/tool-effects.js";
import { advance } from "../../../src/guard/session/advance.js";
import type { Outcome } from "../../../src/guard/session/outcome.js";
import { callIdOf, newSession, type Session } from "../../../src/guard/session/session.js";
import { settlementOf } from "../../../src/guard/session/settlement.js";
import type { Random } from "../../differential/generate/random.js";
import type { Domain } from "./small-pack.js";

/** What an observer of a session gets. */
export interface Watcher {
  /** A call is about to go out, with or without an approval; the state is that before it. */
  allowed(walk: RandomSession, call: { readonly proposal: Proposal; readonly isApproved: boolean }): void;
  /** Rules that refuse a call, ask about it, or find its output broken. */
  acted(walk: RandomSession, rules: readonly PackRule[]): void;
  /** No call is open. */
  rested(walk: RandomSession): void;
}

const NO_JSON: unknown = { not: () => "JSON" };

/**
 * One session with whatever can happen in it: steps of several calls, several open calls that settle in any order, fail,
 * get lost or answer what is no JSON, labels, costs, approvals that are given, or not answered in time.
 */
export class RandomSession {
  readonly session: Session;
  /** Tools with a committed call. */
  readonly committed = new Set<string>();
  /** Calls of each tool that are not known not to have happened. */
  readonly calls = new Map<string, number>();
  readonly story: unknown[] = [];
  /** The clock, in milliseconds; it only moves forward. */
  private now = 0;

  constructor(
    readonly program: Program,
    private readonly given: {
      readonly rules: PackRules;
      readonly domain: Domain;
      readonly random: Random;
      readonly watcher: Watcher;
    },
  ) {
    this.session = newSession(program);
  }

  run(events: number): void {
    for (let at = 0; at < events && !this.session.isKilled; at++) this.happen();
  }

  private happen(): void {
    const { random, domain } = this.given;
    const { session } = this;
    if (session.unsettled.size === 0) this.given.watcher.rested(this);
    const dice = random.next();
    if (dice < 0.1) this.beginStep();
    else if (dice < 0.13 && domain.labels.length > 0)
      this.record({ kind: "label_added", label: random.pick(domain.labels) });
    else if (dice < 0.15 && domain.costs.length > 0)
      this.record({ kind: "cost_recorded", usd: random.pick(domain.costs) });
    else if (dice < 0.3 && session.unsettled.size > 0) this.settleSome();
    else this.callSome();
  }

  /** Most calls are refused: a few are tried until one goes out. */
  private callSome(): void {
    for (let tries = 0; tries < 6; tries++) if (this.call()) return;
  }

  private record(event: { kind: "label_added"; label: string } | { kind: "cost_recorded"; usd: number }): void {
    this.story.push(event);
    advance(this.program, this.session, event);
  }

  private beginStep(): void {
    const { openSteps, ownSteps } = this.session;
    const limit = this.program.pack.unmatched_checks.find(({ kind }) => kind === "max_steps");
    if (limit?.kind === "max_steps" && openSteps + ownSteps >= limit.max) return;
    this.story.push("step");
    advance(this.program, this.session, { kind: "step_begun" });
  }

  /** Proposes a call; true where it goes out. */
  private call(): boolean {
    const { random, domain, watcher, rules } = this.given;
    const tool = random.pick([...this.program.tools.values()]);
    const args: JsonObject = random.pick(domain.tools.get(tool.name)?.args ?? [{}]);
    if (tool.readsNow) this.now += random.pick([0, 0, 0, 30_000, 12 * 3_600_000]);
    const proposal = { ...proposalOf(tool, args), now: this.now };
    const decision = decide(this.program, this.session, proposal, 0);
    if (decision.kind === "block") {
      watcher.acted(this, this.refusing(tool, proposal));
      return false;
    }
    const asking = decision.kind === "needs_approval" ? decision.checkpoints : [];
    watcher.acted(
      this,
      asking.flatMap((check) => rules.inCheck(check)),
    );
    const isSilent = asking.length > 0 && asking.every(({ on_timeout: end }) => end === "allow") && random.chance(0.5);
    watcher.allowed(this, { proposal, isApproved: asking.length > 0 && !isSilent });
    this.reserve(tool, args);
    return true;
  }

  private refusing(tool: Tool, proposal: Proposal): readonly PackRule[] {
    const { program, session } = this;
    return tool.checks.flatMap(({ run }, index) => {
      const check = tool.compiled?.checks[index];
      if (check === undefined || run(proposal, session, program) === null) return [];
      return refusingRules(check, this.given.rules, { program, session, proposal });
    });
  }

  private reserve(tool: Tool, args: JsonObject): void {
    const { random } = this.given;
    const callId = callIdOf(this.session.issued + 1);
    this.story.push({ call: tool.name, args });
    advance(this.program, this.session, { kind: "reserved", callId, tool: tool.name, args, isApproved: false });
    this.calls.set(tool.name, (this.calls.get(tool.name) ?? 0) + 1);
    if (tool.commitsAtDispatch) this.committed.add(tool.name);
    if (!random.chance(0.25)) this.settle(callId, tool);
  }

  private settleSome(): void {
    const { id, tool } = this.given.random.pick([...this.session.unsettled]);
    this.settle(id, tool);
  }

  private outcome(output: Json): Outcome {
    const { random } = this.given;
    const dice = random.next();
    if (dice < 0.65) return { kind: "result", output };
    if (dice < 0.7) return { kind: "result", output: NO_JSON };
    if (dice < 0.8) return { kind: "error", sent: false };
    if (dice < 0.87) return { kind: "timeout", sent: true };
    if (dice < 0.94) return { kind: "happened", output };
    return { kind: "did_not_happen" };
  }

  private settle(callId: string, tool: ToolEffects): void {
    const { random, domain } = this.given;
    const output: Json = random.pick(domain.tools.get(tool.name)?.outputs ?? [null]);
    const outcome = this.outcome(output);
    const { program, session } = this;
    const settlement = settlementOf({ program, session, judges: true, now: () => timeIn(session) }, callId, outcome);
    if (!settlement.accepted) return;
    if (settlement.violation !== null && outcome.kind === "result" && outcome.output !== NO_JSON) {
      const call = session.unsettled.find(callId);
      const own = this.given.rules
        .ofTool(tool.name)
        .filter(({ body: { kind } }) => kind === "ensures" || kind.startsWith("output"));
      const rules = call === undefined ? [] : brokenRules(program, session, { call, output, rules: own });
      this.given.watcher.acted(this, rules);
    }
    this.story.push({ settle: tool.name, ending: settlement.event.ending });
    advance(program, session, settlement.event);
    if (settlement.event.ending === "committed") this.committed.add(tool.name);
    // A read that timed out is released, and may have happened all the same.
    if (settlement.event.ending === "released" && outcome.kind !== "timeout")
      this.calls.set(tool.name, (this.calls.get(tool.name) ?? 1) - 1);
  }
}
