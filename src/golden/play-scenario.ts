import type { Expected, Scenario, ScenarioEnding, ScenarioStep } from "../artifact/scenario.js";
import { deepEqual } from "../base/equal.js";
import { invariant } from "../base/invariant.js";
import { isJsonObject, type Json, type JsonObject } from "../base/json.js";
import type { Guard } from "../guard/guard-api.js";
import type { Verdict } from "../guard/public.js";
import { actualOf, type Playing, replayAll, stagedGuard } from "./play-case.js";
import type { PlayedScenario, ScenarioFailure, StepActual } from "./played-scenario.js";
import { outcomeOf } from "./scenario-outcome.js";

/** A call that waits for an approval, or for its settlement. */
interface OpenCall {
  readonly tool: string;
  readonly callId: string;
  readonly ending: ScenarioEnding | null;
}

const WORDS = { allow: "allow", block: "block", approval: "approval_required" } as const;

/** Whether what happened is what the step expects. */
function meets({ verdict, reason, because }: Expected, actual: StepActual): boolean {
  if (actual.kind === "output_rejected") return verdict === "allow" && reason === actual.reason && because === null;
  if (actual.kind !== WORDS[verdict]) return false;
  if (actual.kind === "allow") return reason === null && because === null;
  if (reason !== null && !("reason" in actual && actual.reason === reason)) return false;
  return because === null || ("because" in actual && actual.because === because);
}

/** One scenario while it is played. */
class Playthrough {
  private readonly open: OpenCall[] = [];
  private waiting: (OpenCall & { readonly approvalId: string }) | null = null;

  constructor(
    private readonly guard: Guard,
    private readonly pass: (milliseconds: number) => void,
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
        return verdict.kind === "allow" ? { kind: "allow" } : actualOf(verdict);
      }
      case "settle":
        return this.settle(step.tool, step.ending);
    }
  }

  private async call({ tool, args, ending }: ScenarioStep & { readonly kind: "call" }): Promise<StepActual> {
    const verdict = await this.guard.propose({ tool, args });
    if (verdict.kind === "approval_required") {
      this.waiting = { tool, callId: verdict.callId, ending, approvalId: verdict.approvalId };
    }
    return this.allowed(verdict, { tool, ending });
  }

  private async answer({ answer, by }: ScenarioStep & { readonly kind: "answer" }): Promise<StepActual> {
    const { waiting } = this;
    if (waiting === null) return { kind: "nothing_open", what: "no call waits for an approval" };
    const verdict = await this.guard[answer](waiting.approvalId, { by });
    invariant(verdict.kind !== "recorded", "the guard that proposed the call judges it again");
    this.waiting = null;
    return this.allowed(verdict, waiting);
  }

  /** An allowed call ends as the scenario says, or stays unsettled. */
  private async allowed(verdict: Verdict, { tool, ending }: Omit<OpenCall, "callId">): Promise<StepActual> {
    if (verdict.kind !== "allow") return actualOf(verdict);
    if (ending !== null) return this.end(verdict.callId, ending);
    this.open.push({ tool, callId: verdict.callId, ending });
    return { kind: "allow" };
  }

  private async settle(tool: string | null, ending: ScenarioEnding): Promise<StepActual> {
    const at = this.open.findLastIndex((call) => tool === null || call.tool === tool);
    const call = this.open[at];
    if (call === undefined) return { kind: "nothing_open", what: "no call is unsettled" };
    // A timeout leaves open what became of the call, so that a later step may say it.
    if (ending.kind !== "timeout") this.open.splice(at, 1);
    return this.end(call.callId, ending);
  }

  private async end(callId: string, ending: ScenarioEnding): Promise<StepActual> {
    const { accepted, reason, violation } = await this.guard.settle(callId, outcomeOf(ending));
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
  const staged = await stagedGuard(playing, given, { now: () => now });
  if ("kind" in staged) return { step: null, number: null, actual: staged };
  const { guard, enter } = staged;
  const refused = await replayAll(guard, given.history);
  if (refused !== null) return { step: null, number: null, actual: refused };
  enter();
  for (const label of given.labels) await guard.addLabel(label);
  const playthrough = new Playthrough(guard, (milliseconds) => {
    now += milliseconds;
  });
  for (const [index, step] of steps.entries()) {
    const actual = await playthrough.play(step);
    if (actual !== null && !meets(step.expected, actual)) return { step, number: index + 1, actual };
  }
  const other = otherState(state, JSON.parse(JSON.stringify(guard.state())) as JsonObject, "");
  return other === null ? null : { step: null, number: null, actual: other };
}

/** Plays one scenario on a guard of its own. */
export async function playScenario(playing: Playing, scenario: Scenario): Promise<PlayedScenario> {
  return { scenario, failure: await failureOf(playing, scenario) };
}
