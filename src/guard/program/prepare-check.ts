import type { CompiledCheck, CompiledPack } from "../../artifact/compiled.js";
import type { Place } from "../../artifact/compiled-value.js";
import { invariant, unreachable } from "../../base/invariant.js";
import { aggregate } from "../checks/aggregate.js";
import { aggregatePer } from "../checks/aggregate-per.js";
import { argument, capture, derived, schema } from "../checks/arguments.js";
import { envelope } from "../checks/envelope.js";
import { forbiddenBy } from "../checks/forbidden-by.js";
import { gate } from "../checks/gate.js";
import { labelGate } from "../checks/label-gate.js";
import { maxCallsPerStep, maxCallsPerTool, maxCost, maxSteps, maxToolCalls } from "../checks/limits.js";
import { loopDetection } from "../checks/loop-detection.js";
import { phase } from "../checks/phase.js";
import { policy } from "../checks/policy.js";
import { precondition } from "../checks/precondition.js";
import { ref, type SlotWriters } from "../checks/ref.js";
import { requires } from "../checks/requires.js";
import type { ArgumentFields } from "./argument-fields.js";
import type { Check, Run } from "./program.js";
import type { Watch } from "./tool-effects.js";

/** The watches of a pack, by the preconditions that need them. */
export type Watches = ReadonlyMap<CompiledCheck, Watch>;

/** What checks are prepared with: their pack, the watches of its preconditions, the arguments of their tool. */
interface Context {
  readonly pack: CompiledPack;
  readonly watches: Watches;
  readonly fields: ArgumentFields;
}

/** Checkpoints are judged by `decide`, once nothing refuses a call. */
type JudgingCheck = Exclude<CompiledCheck, { readonly kind: "checkpoint" }>;

/** Prepares a check, once for all sessions: everything that does not depend on a call. */
export function prepareCheck(check: JudgingCheck, context: Context): Check {
  const { run, blind, test = null, refuse = run, surely = blind } = runsOf(check, context);
  const { pack } = context;
  return {
    kind: check.kind,
    at: placeOf(check, pack),
    because: wordsOf(check, pack),
    run,
    test,
    refuse,
    blind,
    surely,
  };
}

function placeOf(check: JudgingCheck, { aggregates, envelopes }: CompiledPack): Place | null {
  if (check.kind === "aggregate") return aggregates[check.index]?.at ?? null;
  if (check.kind === "envelope") return envelopes[check.index]?.at ?? null;
  return "at" in check ? check.at : null;
}

/** Rules of session.yaml that always had a reason keep it under that name. */
function wordsOf(check: JudgingCheck, { aggregates, envelopes }: CompiledPack): string | undefined {
  if (check.kind === "aggregate") return aggregates[check.index]?.reason;
  if (check.kind === "envelope") return envelopes[check.index]?.reason;
  if (check.kind === "label_gate") return check.reason;
  return "because" in check ? check.because : undefined;
}

type Runs = Pick<Check, "run" | "blind"> & Partial<Pick<Check, "test" | "refuse" | "surely">>;

/** Checks that do not read arguments run the same way without them. */
function same(run: Run): Runs {
  return { run, blind: run };
}

function writersOf({ tools }: CompiledPack, name: string): SlotWriters {
  const isOf = ({ slot }: { readonly slot: string }) => slot === name;
  return {
    binders: tools.filter(({ binds }) => binds.some(isOf)).map((tool) => tool.name),
    isUnbound: tools.some(({ unbinds }) => unbinds?.some(isOf) === true),
  };
}

function runsOf(check: JudgingCheck, { pack, watches, fields }: Context): Runs {
  switch (check.kind) {
    case "gate":
      return same(gate(check));
    case "policy":
      return same(policy(check));
    case "label_gate":
      return same(labelGate(check));
    case "phase":
      return same(phase(check));
    case "forbidden_by":
      return same(forbiddenBy(check));
    case "precondition":
      return precondition(check, watches.get(check) ?? null);
    case "max_steps":
      return same(maxSteps(check));
    case "max_tool_calls": {
      const run = maxToolCalls(check);
      // In the mode `block` tools stay visible, and the refusal itself informs the model.
      return { run, blind: pack.narrows_at_cap ? run : null, surely: run };
    }
    case "max_calls_per_tool":
      return same(maxCallsPerTool(check));
    case "max_calls_per_step": {
      const run = maxCallsPerStep(check);
      // The tools that are offered are those of the next step.
      return { run, blind: null, surely: run };
    }
    case "max_cost":
      return same(maxCost(check));
    case "loop_detection": {
      const run = loopDetection(check);
      // One equal call is every call.
      return { run, blind: null, surely: check.threshold <= 1 ? run : null };
    }
    case "schema":
      return { run: schema(check), blind: null };
    case "input_invariant":
    case "execution_constraint":
    case "argument_invariant":
      return { ...argument(check, fields), blind: null };
    case "derived_invariant":
      return { run: derived(check), blind: null };
    case "ref":
      return { ...ref(check, writersOf(pack, check.slot)), blind: null };
    case "capture":
      return { run: capture(check), blind: null };
    case "requires":
      return { run: requires(check, pack), blind: null };
    case "aggregate": {
      const compiled = pack.aggregates[check.index];
      invariant(compiled !== undefined, "decoding refuses an index that points nowhere");
      if (compiled.per !== undefined) return { run: aggregatePer(compiled, check.index), blind: null };
      return aggregate(compiled, check.index, fields);
    }
    case "envelope": {
      const compiled = pack.envelopes[check.index];
      invariant(compiled !== undefined, "decoding refuses an index that points nowhere");
      return { ...envelope(compiled, check.index), blind: null };
    }
    default:
      return unreachable(check);
  }
}
