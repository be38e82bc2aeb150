import type { Json } from "../../../src/base/json.js";
import { additionsOf } from "./additions.js";
import { isCapturable, isUnbindable } from "./captures.js";
import { type Check, plainCheck, type Result, type Situation, wordsOf } from "./check.js";
import { isWithin } from "./decimal.js";
import { isSame } from "./json.js";
import { judgeEntry } from "./judge.js";
import type { Reason } from "./model.js";
import { derivedHold, fitsSchema, inputSchema } from "./schema.js";
import { select, valueAt } from "./select.js";
import { slotIn, slotWorldsOf, type World } from "./worlds.js";

/** Whether an argument agrees with the bound value: equal as JSON, or a number within the tolerance of a number. */
function agrees(value: Json, bound: Json, tolerance: number | undefined): boolean {
  if (isSame(value, bound)) return true;
  if (tolerance === undefined || typeof value !== "number" || typeof bound !== "number") return false;
  return isWithin(value, bound, tolerance);
}

interface Ref {
  readonly path: string;
  readonly slot: string;
  readonly tolerance: number | undefined;
}

/** Check 12: every value at the path must agree with the slot; nothing there agrees with nothing. */
function judgeRef({ pack, args }: Situation, { path, slot, tolerance }: Ref, world: World): Result {
  const bound = slotIn(pack, world, slot);
  if (bound.kind === "unset") return "ref_unset";
  if (bound.kind === "unknown") return "unknown";
  const values = select(path, args);
  if (values.length === 0) return "ref_mismatch";
  return values.every((value) => agrees(value, bound.value, tolerance)) ? "pass" : "ref_mismatch";
}

/** Check 11: unjudgeable counts as false. */
function* invariants({ pack, options, contract, args }: Situation): Generator<Check> {
  if (contract === null) return;
  const each = (reason: Reason, entries: readonly Parameters<typeof judgeEntry>[0][]): readonly Check[] =>
    entries.map((entry) =>
      plainCheck(reason, false, () => judgeEntry(entry, args, options.env) === "true", wordsOf(entry)),
    );
  const manual = (contract.argument_value_invariants ?? []).map(({ ref: _, tolerance: __, ...entry }) => entry);
  yield* each("input_invariant_failed", contract.assertions.input_invariants);
  yield* each("execution_constraint_failed", contract.execution_constraints?.arguments ?? []);
  yield* each("argument_invariant_failed", manual);
  yield plainCheck("schema_derived_failed", false, () => derivedHold(pack, contract, args));
}

/** Check 13: arguments that are bound, keys of binds or staged are there. */
function capturesAreThere({ pack, tool, contract, args }: Situation): boolean {
  const { binds = [], unbinds = [] } = contract === null ? {} : additionsOf(contract);
  if (!binds.every((bind) => isCapturable(bind, args))) return false;
  if (!unbinds.every((unbind) => isUnbindable(unbind, args))) return false;
  const stages = (pack.session?.envelopes ?? []).flatMap((envelope) => envelope.stages);
  return stages
    .filter((stage) => stage.tool === tool)
    .every(({ source, path }) => source === "output" || valueAt(path, args) !== undefined);
}

/** Checks 10 to 13. */
export function* argumentChecks(situation: Situation): Generator<Check> {
  const { pack, contract, args } = situation;
  if (contract === null) return;
  const schema = inputSchema(pack, contract.tool);
  if (schema !== null) yield plainCheck("schema_mismatch", false, () => fitsSchema(schema, args));
  yield* invariants(situation);
  for (const entry of contract.argument_value_invariants ?? []) {
    const { path, ref: slot, tolerance } = entry;
    if (slot === undefined) continue;
    yield {
      reasons: ["ref_unset", "ref_mismatch"],
      hides: false,
      because: wordsOf(entry),
      worlds: slotWorldsOf(pack, situation.calls, [slot]),
      judge: (world) => judgeRef(situation, { path, slot, tolerance }, world),
    };
  }
  yield plainCheck("bind_missing", false, () => capturesAreThere(situation));
}
