import type { CompiledTool } from "../../artifact/compiled.js";
import type { Place } from "../../artifact/compiled-value.js";
import { CostExceeded, closeCounted, openBudget, withinBudget } from "../../base/cost.js";
import type { Json } from "../../base/json.js";
import { show } from "../../base/wording.js";
import { wantedOf } from "../../operators/wording.js";
import { keeps, referencesOf } from "../checks/envelope.js";
import { evaluate, onOneLine } from "../expression/evaluate.js";
import { preparedOf } from "../expression/of-pack.js";
import type { SlotReader } from "../expression/slot-reader.js";
import { type AnsweredCall as Answered, afterCall } from "../expression/surroundings.js";
import { PresentSlots, type Slots } from "../expression/worlds/present-slots.js";
import type { Program } from "../program/program.js";
import type { ReferenceName, ToolEffects } from "../program/tool-effects.js";
import type { Violation } from "../public.js";
import { type Possible, UNKNOWN } from "../session/call.js";
import type { Session, Writes } from "../session/session.js";
import type { SlotContent } from "../session/slots/slot-content.js";
import { judgeEntry } from "../values/judge-value.js";
import type { PlainJson } from "../values/plain-json.js";
import { readDefinite } from "../values/read-path.js";
import { foundBy } from "./found.js";
import { becauseIn, tooCostly } from "./verdict.js";
import { present } from "./worlds.js";

/** The values that an output is compared with, at some moment. */
export interface References {
  reference(envelope: number, name: ReferenceName): Possible;
  readonly slots: SlotReader;
}

/** A call is judged against the values before it, even if it has written its own already. */
function before(writes: Writes | undefined, callId: string): Possible {
  let others: Writes | null = writes ?? null;
  while (others !== null && others.last.openCall === callId) others = others.before;
  return present(others ?? undefined);
}

class SlotsBefore extends PresentSlots {
  private readonly contents = new Map<string, SlotContent>();

  constructor(
    session: Slots,
    private readonly callId: string,
  ) {
    super(session);
  }

  override read(slot: string): Possible {
    return before(this.session.slots.get(slot), this.callId);
  }

  protected override content(slot: string): SlotContent | undefined {
    const known = this.contents.get(slot) ?? this.session.collections.get(slot)?.without(this.callId);
    if (known !== undefined) this.contents.set(slot, known);
    return known;
  }
}

/** The present values, for the output of one call. */
export function presentReferences(session: Session, callId: string): References {
  const { references } = session;
  return {
    reference: (envelope, name) => before(references[envelope]?.get(name), callId),
    slots: new SlotsBefore(session, callId),
  };
}

/** The present values, kept for later: by then another process may have settled the call and written its own. */
export function keptReferences(session: Session, { stages, compiled }: ToolEffects, callId: string): References {
  if (compiled?.ensures === undefined && !stages.some(({ stage }) => stage.source === "output")) return NOTHING_KEPT;
  const kept = new Map<number, ReadonlyMap<ReferenceName, Writes>>();
  for (const { envelope, stage } of stages) {
    if (stage.source === "output") kept.set(envelope, new Map(session.references[envelope]));
  }
  const readsSlots = compiled?.ensures !== undefined;
  return {
    reference: (envelope, name) => before(kept.get(envelope)?.get(name), callId),
    slots: new SlotsBefore(readsSlots ? copyOfSlots(session) : NO_SLOTS, callId),
  };
}

const NO_SLOTS: Slots = { slots: new Map(), collections: new Map() };

/** For tools whose outputs are compared with nothing. */
const NOTHING_KEPT: References = { reference: () => present(undefined), slots: new SlotsBefore(NO_SLOTS, "") };

function copyOfSlots({ slots, collections }: Slots): Slots {
  const copies = Array.from(collections, ([name, slot]) => [name, slot.copy()] as const);
  return { slots: new Map(slots), collections: new Map(copies) };
}

/** The rules for an output. */
export interface OutputRules {
  readonly program: Program;
  readonly tool: ToolEffects;
  readonly references: References;
  readonly call: AnsweredCall;
}

/** The call whose output is judged; what expressions read beside the output. */
export type AnsweredCall = Pick<Answered, "args" | "labels" | "now">;

/** An output that cannot be judged within its budget of work is rejected. */
function brokenInvariant({ program, tool }: OutputRules, output: Json): Violation | null {
  let judged: CompiledTool["output_invariants"][number] | null = null;
  // No closures, because every output comes here.
  const outer = openBudget();
  try {
    for (const entry of tool.compiled?.output_invariants ?? []) {
      judged = entry;
      if (judgeEntry(entry, output, program.env) === true) continue;
      const required = wantedOf(entry.path.text, entry.operators);
      const found = foundBy(entry, output, program.env);
      return { reason: "output_invariant_failed", ...becauseIn(entry), rule: entry.at, required, found };
    }
    return null;
  } catch (cause) {
    if (!(cause instanceof CostExceeded)) throw cause;
    const rule = judged?.at ?? null;
    const { required, found } = tooCostly(rule);
    return { reason: "unjudgeable_cost", ...(judged === null ? {} : becauseIn(judged)), rule, required, found };
  } finally {
    closeCounted(outer);
  }
}

/** Judged in the present world: what the call guarantees must be known to hold now that it has happened. */
function brokenGuarantee({ program, tool, references, call }: OutputRules, output: Json): Violation | null {
  const ensures = tool.compiled?.ensures;
  if (ensures === undefined) return null;
  let rule: Place | null = null;
  const firstBroken = (): Violation | null => {
    for (const { at, reason: because, that } of ensures) {
      rule = at;
      const prepared = preparedOf(that, program.pack);
      const surroundings = afterCall(prepared, { ...call, tool: tool.name, output }, program);
      const answer = evaluate(prepared, { ...surroundings, slots: references.slots });
      if (answer.kind === "true") continue;
      return { reason: "guarantee_failed", because, rule, required: onOneLine(that), found: answer.found };
    }
    return null;
  };
  return withinBudget(firstBroken, () => {
    const { required, found } = tooCostly(rule);
    return { reason: "unjudgeable_cost", rule, required, found };
  });
}

function brokenStage({ program, tool, references }: OutputRules, output: Json): Violation | null {
  for (const { envelope, stage } of tool.stages) {
    const compiled = program.envelopes[envelope];
    if (compiled === undefined || stage.role !== "constrained" || stage.source !== "output") continue;
    const value = stage.path.kind === "definite" ? (readDefinite(stage.path.steps, output) ?? null) : null;
    for (const name of referencesOf(compiled.constraint)) {
      const reference = references.reference(envelope, name);
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
  return brokenInvariant(rules, output) ?? brokenGuarantee(rules, output) ?? brokenStage(rules, output);
}

/** The violation of an output that is not JSON. */
export function notJson({ what }: PlainJson & { readonly ok: false }): Violation {
  return { reason: "output_not_json", rule: null, required: "an output that is JSON", found: what };
}
