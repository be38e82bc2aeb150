import type { Scenario, ScenarioEnding, ScenarioStep } from "../../artifact/scenario.js";
import { isJsonObject, type Json } from "../../base/json.js";
import { plainJson } from "../../guard/values/plain-json.js";
import type { PlayedCall } from "../../replay/play-session.js";
import { type Beside, outcomeOf, type TracedCall, type TracedSession } from "../../replay/traced-session.js";

const NOWHERE = { file: "", line: 0 };
const ALLOWED = { verdict: "allow", reason: null, because: null } as const;

const MOST_TESTS = 3;
const MOST_CALLS = 30;
/** Longer sessions are nothing that a person reads. */
const MOST_TEXT = 20_000;

/** How a call ended; null if that is not known, or nothing that a scenario can say. */
function endingOf(call: TracedCall): ScenarioEnding | null {
  const outcome = outcomeOf(call);
  if (outcome?.kind === "result") return { kind: "output", output: (outcome.output ?? null) as Json };
  if (outcome?.kind !== "error") return null;
  const { kind: _, ...error } = outcome;
  return { kind: "error", error: JSON.parse(JSON.stringify(error)) as Json };
}

function besideStep(beside: Beside): ScenarioStep {
  const common = { at: NOWHERE, expected: ALLOWED };
  switch (beside.kind) {
    case "step":
      return { ...common, kind: "step" };
    case "label":
      return { ...common, kind: "label", label: beside.label };
    case "cost":
      return { ...common, kind: "cost", usd: beside.usd };
  }
}

function stepsOf(call: TracedCall): readonly ScenarioStep[] {
  const { tool, args, before } = call;
  if (!isJsonObject(args)) return [];
  const ending = endingOf(call);
  const made: ScenarioStep = { at: NOWHERE, expected: ALLOWED, kind: "call", tool, args, ending };
  const happened: ScenarioStep = { at: NOWHERE, expected: ALLOWED, kind: "settle", tool, ending: { kind: "happened" } };
  return [...before.map(besideStep), made, ...(ending === null ? [happened] : [])];
}

function scenarioOf({ id, principal, labels, calls }: TracedSession, number: number): Scenario {
  const given = { phase: null, labels: [], bindings: new Map(), history: [], now: 0 };
  return {
    at: NOWHERE,
    name: `recorded session ${id ?? number}`,
    given: { ...given, principal: isJsonObject(principal) ? principal : null },
    steps: [...labels.map((label) => besideStep({ kind: "label", label })), ...calls.flatMap(stepsOf)],
    state: {},
  };
}

/** Recorded sessions as tests: a few that the pack allows, each with a tool that those before do not have. */
export class RecordedTests {
  private readonly sessions: TracedSession[] = [];
  private readonly tools = new Set<string>();
  private readonly reasons = new Map<string, number>();
  private calls = 0;

  add(session: TracedSession, played: readonly PlayedCall[]): void {
    this.calls += played.length;
    for (const each of played) {
      if (each.kind === "block") this.reasons.set(each.reason, (this.reasons.get(each.reason) ?? 0) + 1);
    }
    if (this.sessions.length < MOST_TESTS && this.isWanted(session, played)) {
      this.sessions.push(session);
      for (const { tool } of session.calls) this.tools.add(tool);
    }
  }

  /** The calls that the pack refuses, in words; null if there are none. */
  refused(): string | null {
    const counts = [...this.reasons].map(([reason, count]) => `${count} ${reason}`);
    const total = [...this.reasons.values()].reduce((sum, count) => sum + count, 0);
    if (total === 0) return null;
    return `the definitions refuse ${total} of the ${this.calls} recorded calls (${counts.join(", ")})`;
  }

  tests(): readonly Scenario[] {
    return this.sessions.map((session, at) => scenarioOf(session, at + 1));
  }

  private isWanted({ calls }: TracedSession, played: readonly PlayedCall[]): boolean {
    const isNew = calls.some(({ tool }) => !this.tools.has(tool));
    if (!isNew || calls.length > MOST_CALLS || played.some(({ kind }) => kind !== "allow")) return false;
    // What is no plain JSON, such as a number beyond all doubles, or one part within thousands of others, cannot be written down.
    const isPlain = calls.every((call) => {
      const outcome = outcomeOf(call);
      return outcome?.kind !== "result" || plainJson(outcome.output).ok;
    });
    return isPlain && JSON.stringify(calls).length <= MOST_TEXT;
  }
}
