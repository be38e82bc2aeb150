import type { CompiledEnvelope } from "../../artifact/compiled.js";
import { haveNumberWithin, isWithin } from "../../base/decimal.js";
import { unreachable } from "../../base/invariant.js";
import { isJsonObject, type Json } from "../../base/json.js";
import { show, showMembers } from "../../base/wording.js";
import { type Block, block, blockUntil } from "../decide/verdict.js";
import { possibleReferences, present } from "../decide/worlds.js";
import type { Check, Run, Tool } from "../program/program.js";
import type { ReferenceName } from "../program/tool-effects.js";
import { type Possible, UNKNOWN } from "../session/call.js";
import type { Session, Writes } from "../session/session.js";
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

/** The worst first; of equal ones those that waiting does not lift. */
function bySeverity(a: Block, b: Block): number {
  const byReason = SEVERITY.indexOf(a.reason) - SEVERITY.indexOf(b.reason);
  return byReason !== 0 ? byReason : Number(a.remedy === "settlement") - Number(b.remedy === "settlement");
}

/** A value that should be a number; an object may be all arguments of a call. */
function shownStage(value: Json): string {
  return isJsonObject(value) ? showMembers(value) : show(value);
}

/** Which of the open calls' texts or objects comes first depends on calls that have ended, so none of them is shown. */
function shownReference(reference: Json, present: Possible): string {
  return typeof reference === "number" || reference === present ? shownStage(reference) : "that is no number";
}

/** A value that leaves the envelope: other arguments help only against a present reference that is a number. */
function violated(envelope: CompiledEnvelope, name: ReferenceName, value: Json, possible: Violating): Block {
  const { at, reason } = envelope;
  const { broken, present } = possible;
  const found = `${shownStage(value)} against ${name} ${shownReference(broken, present)}`;
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
  const known = knownOf(possible);
  const broken = known.find((reference) => !keeps(envelope, name, value, reference));
  if (broken !== undefined) return violated(envelope, name, value, { broken, present: possible[0] });
  return known.length < possible.length ? awaited(envelope, name) : null;
}

function knownOf(possible: readonly Possible[]): readonly Json[] {
  return possible.filter((reference): reference is Json => reference !== UNKNOWN && reference !== undefined);
}

/** What an unsettled call sets the reference to is not known yet. */
function awaited({ at, reason }: CompiledEnvelope, name: ReferenceName): Block {
  return block("pending_conflict", at, reason, `a call that may change the ${name}`);
}

/** A reference as each value is compared with it, whichever of the unsettled calls happen. */
interface Compared {
  readonly name: ReferenceName;
  readonly possible: readonly Possible[];
}

/** Whether some value satisfies the constraint with all these references: they are numbers, and not too far apart. */
function haveValue({ band }: CompiledEnvelope, references: readonly Compared[]): boolean {
  const numbers = new Map<ReferenceName, readonly number[]>();
  for (const { name, possible } of references) {
    const known = knownOf(possible);
    const own = known.filter((reference) => typeof reference === "number");
    if (own.length < known.length) return false;
    numbers.set(name, own);
  }
  const [anchors = [], floors = [], ceilings = []] = [
    numbers.get("anchor"),
    numbers.get("floor"),
    numbers.get("ceiling"),
  ];
  if (Math.max(...floors) > Math.min(...ceilings)) return false;
  return anchors.every((a) => anchors.every((b) => haveNumberWithin(a, b, band ?? 0)));
}

/** The refusal of every value; null if one may be allowed. */
function againstAll(
  envelope: CompiledEnvelope,
  index: number,
  references: readonly Compared[],
  session: Session,
): Block | null {
  const { at, reason } = envelope;
  const missing = references.find(({ possible }) => possible.includes(undefined));
  if (missing !== undefined) return unset(envelope, index, missing.name, session);
  if (!haveValue(envelope, references)) return block("envelope_violated", at, reason, "references that no value fits");
  const open = references.find(({ possible }) => possible.includes(UNKNOWN));
  return open === undefined ? null : awaited(envelope, open.name);
}

/** Whether a stage constrains an argument by this envelope. */
function isJudged({ envelope, stage }: Tool["stages"][number], index: number): boolean {
  return envelope === index && stage.role === "constrained" && stage.source !== "output";
}

/** The commonest case: a reference that is set, and that no unsettled call may change. */
function isSurelyKept(
  compiled: CompiledEnvelope,
  name: ReferenceName,
  value: Json,
  references: ReadonlyMap<ReferenceName, Writes> | undefined,
): boolean {
  const reference = present(references?.get(name));
  return reference !== undefined && reference !== UNKNOWN && keeps(compiled, name, value, reference);
}

/** Refuses a value that leaves its envelope with any possible reference. */
export function envelope(compiled: CompiledEnvelope, index: number): Pick<Check, "run" | "surely"> {
  const names = referencesOf(compiled.constraint);
  const run: Run = ({ tool, args }, session) => {
    const failures: Block[] = [];
    for (const candidate of tool.stages) {
      if (!isJudged(candidate, index)) continue;
      const { stage } = candidate;
      const value = stage.path.kind === "definite" ? (readDefinite(stage.path.steps, args) ?? null) : null;
      for (const name of names) {
        if (session.open === null && isSurelyKept(compiled, name, value, session.references[index])) continue;
        const possible = possibleReferences(session, { envelope: index, name, band: compiled.band });
        const failure = possible.includes(undefined)
          ? unset(compiled, index, name, session)
          : against(compiled, name, value, possible);
        if (failure !== null) failures.push(failure);
      }
    }
    return failures.length === 0 ? null : (failures.sort(bySeverity)[0] ?? null);
  };
  // Arguments do not set a reference. 0 is within a band of 1 or more of every anchor, so a few values represent all.
  const band = compiled.band === null ? null : Math.min(compiled.band, 1);
  const surely: Run = ({ tool }, session) => {
    if (!tool.stages.some((candidate) => isJudged(candidate, index))) return null;
    const references = names.map((name) => ({
      name,
      possible: possibleReferences(session, { envelope: index, name, band }),
    }));
    return againstAll(compiled, index, references, session);
  };
  return { run, surely };
}
