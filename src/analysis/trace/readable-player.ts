import type { PackExamples } from "../../artifact/example-call.js";
import { canonicalJson } from "../../base/canonical-json.js";
import type { Json } from "../../base/json.js";
import type { Guard } from "../../guard/guard-api.js";
import { closestFirst, ExampleValues, type Replacement } from "./example-values.js";
import type { Circumstances, Plan } from "./plan.js";
import type { Player, Replayed } from "./replay.js";
import type { StepOutcome, StepVerdict, TraceStep } from "./trace.js";

/** Each is a session replayed; what is shown does not depend on it. */
const MOST = { tried: 24 } as const;

function verdictShape(verdict: StepVerdict): Json {
  switch (verdict.kind) {
    case "allow":
      return "allow";
    case "approval":
      return [verdict.rules.map(({ file, line }) => [file, line]), verdict.isUnanswered === true];
    case "block":
      return [verdict.reason, verdict.rule === null ? null : [verdict.rule.file, verdict.rule.line], verdict.required];
  }
}

function outcomeShape(outcome: StepOutcome | null): Json {
  if (outcome?.kind !== "violated") return outcome?.kind ?? null;
  return [outcome.reason, outcome.rule === null ? null : [outcome.rule.file, outcome.rule.line]];
}

function stepShape(step: TraceStep): Json {
  if (step.kind !== "call") return [step.kind, step.phase];
  return [step.tool, verdictShape(step.verdict), outcomeShape(step.outcome), step.phase];
}

/** What a session shows, without its values. */
function shapeOf({ trace, refusals, demands }: Replayed): string {
  const places = refusals.map((place) => (place === null ? null : [place.file, place.line]));
  return canonicalJson([trace.steps.map(stepShape), places, [...demands]]);
}

/**
 * Replays sessions with the values that the authors of a pack wrote in its examples, where the guard does the same with
 * them: a reviewer reads an order number instead of `text`.
 */
export class ReadablePlayer {
  constructor(
    private readonly player: Player,
    private readonly examples: PackExamples,
  ) {}

  /** A guard as users make it. */
  guard(circumstances: Circumstances): Promise<Guard> {
    return this.player.guard(circumstances);
  }

  async play(plan: Plan): Promise<Replayed> {
    const found = await this.player.play(plan);
    const sessions = closestFirst(plan, this.examples);
    if (sessions.length === 0) return found;
    const values = new ExampleValues(plan, sessions);
    const shape = shapeOf(found);
    const played = async (replacements: readonly Replacement[]) => {
      const replayed = await this.player.play(values.with(replacements));
      return shapeOf(replayed) === shape ? replayed : null;
    };
    const all = values.all();
    if (all.length === 0) return found;
    return (await played(all)) ?? (await this.oneByOne(all, played)) ?? found;
  }

  /** With as many replacements as go together; two texts stay two. */
  private async oneByOne(
    all: readonly Replacement[],
    played: (replacements: readonly Replacement[]) => Promise<Replayed | null>,
  ): Promise<Replayed | null> {
    let best: Replayed | null = null;
    let kept: readonly Replacement[] = [];
    for (const replacement of all.slice(0, MOST.tried)) {
      if (kept.some(({ from, to }) => to === replacement.to && from !== replacement.from)) continue;
      for (const isGeneral of replacement.from === null ? [false] : [false, true]) {
        const more = [...kept, { ...replacement, isGeneral }];
        const replayed = await played(more);
        if (replayed === null) continue;
        [best, kept] = [replayed, more];
        break;
      }
    }
    return best;
  }
}
