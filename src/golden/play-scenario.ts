import type { Expected, Scenario, ScenarioEnding, ScenarioStep } from "../artifact/scenario.js";
import { deepEqual } from "../base/equal.js";
import { invariant } from "../base/invariant.js";
import { isJsonObject, type Json, type JsonObject } from "../base/json.js";
import type { Guard } from "../guard/guard-api.js";
import type { Verdict } from "../guard/public.js";
import { actualOf, begun, type Observer, type Playing } from "./play-case.js";
import type { PlayedScenario, ScenarioFailure, StepActual } from "./played-scenario.js";
import { outcomeOf } from "./scenario-outcome.js";

/** A call that waits for an approval, and how it ends once it is allowed. */
interface WaitingCall {
  readonly approvalId: string;
  readonly ending: ScenarioEnding | null;
}

const WORDS = { allow: "allow", block: "block", approval: "approval_required" } as const;

/** Whether what happened is what the step expects. */
function meets({ verdict, reason, because }: Expected, actual: StepActual): boolean {
  const isRejected = actual.kind === "output_rejected";
  if (isRejected ? verdict !== "allow" || reason === null : actual.kind !== WORDS[verdict]) return false;
  if (actual.kind === "allow") return reason === null && because === null;
  if (reason !== null && !("reason" in actual && actual.reason === reason)) return false;
  return because === null || ("because" in actual && actual.because === because);
}

/** One scenario while it is played. */
class Playthrough {
  private waiting: WaitingCall | null = null;

  constructor(
    private readonly guard: Guard,
    private readonly pass: (milliseconds: number) => void,
    private readonly observer: Observer | undefined,
  ) {}

  /** What happens at a step; null if it is nothing that could be expected otherwise. */
  async play(step: ScenarioStep): Promise<StepActual | null> {
    switch (step.kind) {
      case "call":
        return this.call(step);
      case "answer":
        return this.answer(step);
      case "label":
        await this.guard.addLabel(step.label);
        return null;
      case "cost":
        await this.guard.recordCost(step.usd);
        return null;
      case "time":
        this.pass(step.milliseconds);
        return null;
      case "step": {
        const verdict = await this.guard.beginStep();
        if (verdict.kind === "allow") return verdict;
        this.observer?.stepRefused(verdict.rule ?? null);
        return actualOf(verdict);
      }
      case "settle":
        return this.settle(step.tool, step.ending);
    }
  }

  private async call({ tool, args, ending }: ScenarioStep & { readonly kind: "call" }): Promise<StepActual> {
    const verdict = await this.guard.propose({ tool, args });
    if (verdict.kind === "approval_required") this.waiting = { approvalId: verdict.approvalId, ending };
    return this.allowed(verdict, ending);
  }

  private async answer({ answer, by }: ScenarioStep & { readonly kind: "answer" }): Promise<StepActual> {
    const { waiting } = this;
    if (waiting === null) return { kind: "nothing_open", what: "no call waits for an approval" };
    const verdict = await this.guard[answer](waiting.approvalId, { by });
    invariant(verdict.kind !== "recorded", "the guard that proposed the call judges it again");
    this.waiting = null;
    return this.allowed(verdict, waiting.ending);
  }

  /** An allowed call ends as the scenario says, or stays unsettled. */
  private async allowed(verdict: Verdict, ending: ScenarioEnding | null): Promise<StepActual> {
    if (verdict.kind !== "allow") return actualOf(verdict);
    return ending === null ? { kind: "allow" } : this.end(verdict.callId, ending);
  }

  /** What the guard does not know the end of is unsettled, also a call that ended with an error which leaves that open. */
  private async settle(tool: string | null, ending: ScenarioEnding): Promise<StepActual> {
    const call = this.guard.unsettled().findLast((each) => tool === null || each.tool === tool);
    if (call !== undefined) return this.end(call.callId, ending);
    return { kind: "nothing_open", what: `no call${tool === null ? "" : ` of \`${tool}\``} is unsettled` };
  }

  private async end(callId: string, ending: ScenarioEnding): Promise<StepActual> {
    const outcome = outcomeOf(ending);
    this.observer?.settling(outcome);
    const { accepted, reason, violation } = await this.guard.settle(callId, outcome);
    if (!accepted) return { kind: "settlement_refused", reason: reason ?? "" };
    return violation === undefined ? { kind: "allow" } : { kind: "output_rejected", ...violation };
  }
}

/** The first part of the state that is not as it should be; of objects only the members that are given are compared. */
function otherState(expected: JsonObject, found: JsonObject, path: string): StepActual | null {
  for (const [name, value] of Object.entries(expected)) {
    const actual: Json | undefined = Object.hasOwn(found, name) ? found[name] : undefined;
    const part = `${path}${name}`;
    if (isJsonObject(value) && isJsonObject(actual)) {
      const inner = otherState(value, actual, `${part}.`);
      if (inner !== null) return inner;
    } else if (actual === undefined || !deepEqual(value, actual)) {
      return { kind: "other_state", part, expected: value, found: actual };
    }
  }
  return null;
}

async function failureOf(playing: Playing, { given, steps, state }: Scenario): Promise<ScenarioFailure | null> {
  let { now } = given;
  const guard = await begun(playing, given, { now: () => now });
  if ("kind" in guard) return { step: null, number: null, actual: guard };
  const pass = (milliseconds: number) => {
    now += milliseconds;
  };
  const playthrough = new Playthrough(guard, pass, playing.observer);
  for (const [index, step] of steps.entries()) {
    const actual = await playthrough.play(step);
    if (actual !== null && !meets(step.expected, actual)) return { step, number: index + 1, actual };
  }
  const other = otherState(state, JSON.parse(JSON.stringify(guard.state())) as JsonObject, "");
  return other === null ? null : { step: null, number: null, actual: other };
}

/** Plays one scenario on a guard of its own. */
export async function playScenario(playing: Playing, scenario: Scenario): Promise<PlayedScenario> {
  const failure = await failureOf(playing, scenario);
  playing.observer?.ended();
  return { scenario, failure };
}
