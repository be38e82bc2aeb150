import type { Artifact } from "../../artifact/compiled.js";
import type { Observer } from "../../golden/play-case.js";
import type { Guard } from "../../guard/guard-api.js";
import { ExercisedRules, type ExercisedSession, type RuleSides } from "../../report/rule-sides.js";

/** What tests exercise of one pack. */
export class TestCoverage implements Observer {
  private readonly rules: ExercisedRules;
  private session: ExercisedSession;
  /** That of the settlement which is going on. */
  private outcome: Parameters<Observer["settling"]>[0] = { kind: "did_not_happen" };

  constructor(pack: Artifact["packs"][number]) {
    this.rules = new ExercisedRules(pack);
    this.session = this.rules.session();
  }

  began(guard: Guard): void {
    const session = this.rules.session();
    this.session = session;
    guard.on("decision", (event) => session.decided(event));
    guard.on("approval_requested", ({ tool, rules }) => session.approvalRequested(tool, rules));
    guard.on("settled", (event) => session.settled({ ...event, ...this.settlement() }));
    guard.on("killed", ({ cause }) => session.killed(cause));
  }

  settling(outcome: Parameters<Observer["settling"]>[0]): void {
    this.outcome = outcome;
  }

  stepRefused(rule: Parameters<Observer["stepRefused"]>[0]): void {
    this.session.stepRefused(rule);
  }

  ended(): void {
    this.rules.add(this.session);
    this.session = this.rules.session();
  }

  private settlement() {
    const { kind } = this.outcome;
    return { hasOutput: "output" in this.outcome, isFailure: kind === "error" || kind === "timeout" };
  }

  sides(): readonly RuleSides[] {
    return this.rules.sides();
  }
}
