import type { Place } from "../../artifact/compiled-value.js";
import { withinBudget } from "../../base/cost.js";
import type { Json } from "../../base/json.js";
import { show } from "../../base/wording.js";
import { wantedOf } from "../../operators/wording.js";
import { keeps, referencesOf } from "../checks/envelope.js";
import type { Program } from "../program/program.js";
import type { ReferenceName, ToolEffects } from "../program/tool-effects.js";
import type { Violation } from "../public.js";
import { type Possible, UNKNOWN } from "../session/call.js";
import type { Session, Writes } from "../session/session.js";
import { judgeEntry } from "../values/judge-value.js";
import type { PlainJson } from "../values/plain-json.js";
import { readDefinite } from "../values/read-path.js";
import { foundBy } from "./found.js";
import { type Because, becauseIn, tooCostly } from "./verdict.js";
import { present } from "./worlds.js";

/** The values that an output is compared with, at some moment. */
export type References = (envelope: number, name: ReferenceName) => Possible;

/** A call is judged against the references before it, even if it has written its own already. */
function before(writes: Writes | undefined, callId: string): Possible {
  let others: Writes | null = writes ?? null;
  while (others !== null && others.last.openCall === callId) others = others.before;
  return present(others ?? undefined);
}

/** The present references, for the output of one call. */
export function presentReferences({ references }: Session, callId: string): References {
  return (envelope, name) => before(references[envelope]?.get(name), callId);
}

/** The present references, kept for later: by then another process may have settled the call and written its own. */
export function keptReferences({ references }: Session, { stages }: ToolEffects, callId: string): References {
  const kept = new Map<number, ReadonlyMap<ReferenceName, Writes>>();
  for (const { envelope, stage } of stages) {
    if (stage.source === "output") kept.set(envelope, new Map(references[envelope]));
  }
  return (envelope, name) => before(kept.get(envelope)?.get(name), callId);
}

/** The rules for an output. */
export interface OutputRules {
  readonly program: Program;
  readonly tool: ToolEffects;
  readonly references: References;
}

/** An output that cannot be judged within its budget of work is rejected. */
function brokenInvariant({ program, tool }: OutputRules, output: Json): Violation | null {
  let rule: Place | null = null;
  let words: Because = {};
  const firstBroken = (): Violation | null => {
    for (const entry of tool.compiled?.output_invariants ?? []) {
      rule = entry.at;
      words = becauseIn(entry);
      if (judgeEntry(entry, output, program.env) === true) continue;
      const required = wantedOf(entry.path.text, entry.operators);
      const found = foundBy(entry, output, program.env);
      return { reason: "output_invariant_failed", ...words, rule, required, found };
    }
    return null;
  };
  return withinBudget(firstBroken, () => {
    const { required, found } = tooCostly(rule);
    return { reason: "unjudgeable_cost", ...words, rule, required, found };
  });
}

function brokenStage({ program, tool, references }: OutputRules, output: Json): Violation | null {
  for (const { envelope, stage } of tool.stages) {
    const compiled = program.envelopes[envelope];
    if (compiled === undefined || stage.role !== "constrained" || stage.source !== "output") continue;
    const value = stage.path.kind === "definite" ? (readDefinite(stage.path.steps, output) ?? null) : null;
    for (const name of referencesOf(compiled.constraint)) {
      const reference = references(envelope, name);
      if (reference !== undefined && reference !== UNKNOWN && keeps(compiled, name, value, reference)) continue;
      return {
        reason: "output_stage_violated",
        because: compiled.reason,
        rule: stage.at,
        required: compiled.reason,
        found: show(value),
      };
    }
  }
  return null;
}

/** The first rule that an output breaks. Pure: the session need not know the call any more. */
export function judgeOutput(rules: OutputRules, output: Json): Violation | null {
  return brokenInvariant(rules, output) ?? brokenStage(rules, output);
}

/** The violation of an output that is not JSON. */
export function notJson({ what }: PlainJson & { readonly ok: false }): Violation {
  return { reason: "output_not_json", rule: null, required: "an output that is JSON", found: what };
}
