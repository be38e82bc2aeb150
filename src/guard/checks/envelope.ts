import type { CompiledEnvelope } from "../../artifact/compiled.js";
import { isWithin } from "../../base/decimal.js";
import { unreachable } from "../../base/invariant.js";
import type { Json } from "../../base/json.js";
import { show } from "../../base/wording.js";
import { type Block, block, blockUntil } from "../decide/verdict.js";
import { possibleReferences } from "../decide/worlds.js";
import type { Check, Run } from "../program/program.js";
import type { ReferenceName } from "../program/tool-effects.js";
import { type Possible, UNKNOWN } from "../session/call.js";
import type { Session } from "../session/session.js";
import { readDefinite } from "../values/read-path.js";

/** The references a constraint compares with. */
export function referencesOf(constraint: CompiledEnvelope["constraint"]): readonly ReferenceName[] {
  switch (constraint) {
    case "lte_ceiling":
      return ["ceiling"];
    case "gte_floor":
      return ["floor"];
    case "within_band":
      return ["anchor"];
    case "bounded":
      return ["floor", "ceiling"];
    case "monotonic_decrease":
    case "monotonic_increase":
      return ["last"];
    default:
      return unreachable(constraint);
  }
}

/** Whether a value satisfies the constraint with one reference. */
export function keeps(
  { constraint, band }: CompiledEnvelope,
  name: ReferenceName,
  value: Json,
  reference: Json,
): boolean {
  if (typeof value !== "number" || typeof reference !== "number") return false;
  switch (name) {
    case "ceiling":
      return value <= reference;
    case "floor":
      return value >= reference;
    case "anchor":
      return isWithin(value, reference, band ?? 0);
    case "last":
      return constraint === "monotonic_decrease" ? value <= reference : value >= reference;
    default:
      return unreachable(name);
  }
}

/** The tools whose calls set a reference. */
function settersOf({ stages }: CompiledEnvelope, name: ReferenceName): readonly string[] {
  const role = name === "last" ? "initial" : name;
  return [...new Set(stages.filter((stage) => stage.role === role).map(({ tool }) => tool))];
}

/** Tells apart a reference that no call has set from one that a call will set, or left unset. */
function unset(envelope: CompiledEnvelope, index: number, name: ReferenceName, { open, references }: Session): Block {
  const { at, reason } = envelope;
  if (open?.reference(index, name) !== undefined)
    return block("envelope_unset", at, reason, `no ${name} is set before a call has settled`, "settlement");
  const found = references[index]?.has(name) ? `the latest output set no ${name}` : `no ${name} is set yet`;
  return blockUntil(settersOf(envelope, name), "envelope_unset", at, reason, found);
}

const SEVERITY: readonly string[] = ["envelope_unset", "envelope_violated", "pending_conflict"];

/** Which of the open calls' texts or objects comes first depends on calls that have ended, so none of them is shown. */
function shownReference(reference: Json, present: Possible): string {
  return typeof reference === "number" || reference === present ? show(reference) : "that is no number";
}

/** A value that leaves the envelope: other arguments help only against a present reference that is a number. */
function violated(envelope: CompiledEnvelope, name: ReferenceName, value: Json, possible: Violating): Block {
  const { at, reason } = envelope;
  const { broken, present } = possible;
  const found = `${show(value)} against ${name} ${shownReference(broken, present)}`;
  if (typeof value !== "number") return block("envelope_violated", at, reason, found);
  if (broken !== present)
    return block("envelope_violated", at, reason, `${found}, of a call that has not settled`, "settlement");
  return typeof broken === "number"
    ? block("envelope_violated", at, reason, found)
    : blockUntil(settersOf(envelope, name), "envelope_violated", at, reason, found);
}

/** The first reference that a value violates, and the present one, which comes before those of unsettled calls. */
interface Violating {
  readonly broken: Json;
  readonly present: Possible;
}

function against(
  envelope: CompiledEnvelope,
  name: ReferenceName,
  value: Json,
  possible: readonly Possible[],
): Block | null {
  const { at, reason } = envelope;
  const known = possible.filter((reference): reference is Json => reference !== UNKNOWN && reference !== undefined);
  const broken = known.find((reference) => !keeps(envelope, name, value, reference));
  if (broken !== undefined) return violated(envelope, name, value, { broken, present: possible[0] });
  return known.length < possible.length
    ? block("pending_conflict", at, reason, `a call that may change the ${name}`)
    : null;
}

/** Refuses a value that leaves its envelope with any possible reference. */
export function envelope(compiled: CompiledEnvelope, index: number): Pick<Check, "run" | "surely"> {
  const names = referencesOf(compiled.constraint);
  const run: Run = ({ tool, args }, session) => {
    const failures: Block[] = [];
    for (const { envelope: own, stage } of tool.stages) {
      if (own !== index || stage.role !== "constrained" || stage.source === "output") continue;
      const value = stage.path.kind === "definite" ? (readDefinite(stage.path.steps, args) ?? null) : null;
      for (const name of names) {
        const possible = possibleReferences(session, { envelope: index, name, band: compiled.band });
        const failure = possible.includes(undefined)
          ? unset(compiled, index, name, session)
          : against(compiled, name, value, possible);
        if (failure !== null) failures.push(failure);
      }
    }
    return failures.sort((a, b) => SEVERITY.indexOf(a.reason) - SEVERITY.indexOf(b.reason))[0] ?? null;
  };
  // Arguments do not set a reference.
  const surely: Run = (proposal, session, program) => {
    const refusal = run(proposal, session, program);
    return refusal?.reason === "envelope_unset" ? refusal : null;
  };
  return { run, surely };
}
