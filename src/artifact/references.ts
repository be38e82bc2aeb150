import type { Artifact, CompiledPack, CompiledSlot, CompiledTool } from "./compiled.js";
import { membersOf } from "./members.js";

/** Whether a node of a compiled schema, or one inside it, names a definition that is not there. */
function hasDanglingRef(node: unknown, defs: number): boolean {
  if (typeof node !== "object" || node === null) return false;
  if ("kind" in node && node.kind === "ref" && "def" in node && Number(node.def) >= defs) return true;
  return membersOf(node).some((part) => hasDanglingRef(part, defs));
}

/** The phases that a tool names. */
function phasesOf({ advances_to: next, checks }: CompiledTool): readonly (string | null)[] {
  return [next, ...checks.flatMap((check) => (check.kind === "phase" ? [...check.phases, check.advances_to] : []))];
}

/** A phase that is named somewhere and not among those of the pack. */
function unknownPhase({ phases, tools }: CompiledPack): string | undefined {
  const known = new Set(phases?.names);
  const { initial = null, terminal = [], transitions = [] } = phases ?? {};
  const named = [
    initial,
    ...terminal,
    ...transitions.flatMap(({ from, to }) => [from, to]),
    ...tools.flatMap(phasesOf),
  ];
  return named.find((phase): phase is string => phase !== null && !known.has(phase));
}

function repeated(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => seen.size === seen.add(name).size);
}

function brokenCheck({ tools, aggregates, envelopes, unmatched_checks: unmatched }: CompiledPack): string | null {
  for (const check of [...tools.flatMap(({ checks }) => checks), ...unmatched]) {
    if (check.kind === "schema" && hasDanglingRef(check.schema, check.schema.defs.length)) {
      return "has a schema with a reference to nothing";
    }
    const table = check.kind === "aggregate" ? aggregates : check.kind === "envelope" ? envelopes : null;
    if (table !== null && "index" in check && check.index >= table.length) return `has no ${check.kind} ${check.index}`;
  }
  return null;
}

/** Whether a bind fits what its slot holds. */
function fitsSlot({ kind, depth }: CompiledSlot, { collect, key = [] }: CompiledTool["binds"][number]): boolean {
  if (collect !== undefined) return kind === "union" && key.length === 0;
  return key.length === depth && (kind === "keyed") === key.length > 0;
}

/** A slot that is used otherwise than the pack declares it; a slot that is not declared is plain. */
function misusedSlot({ slots = [], tools, aggregates }: CompiledPack): string | undefined {
  const declared = new Map(slots.map((slot) => [slot.name, slot]));
  const slotOf = (name: string): CompiledSlot => declared.get(name) ?? { name, kind: "plain", depth: 0, limit: null };
  const reads = [
    ...tools.flatMap(({ checks }) => checks.flatMap((check) => (check.kind === "ref" ? [check.slot] : []))),
    ...aggregates.flatMap(({ when }) => when.map(({ slot }) => slot)),
  ];
  const badRead = reads.find((name) => slotOf(name).kind !== "plain");
  if (badRead !== undefined) return badRead;
  for (const { binds, unbinds = [] } of tools) {
    const bad =
      binds.find((bind) => !fitsSlot(slotOf(bind.slot), bind)) ??
      unbinds.find(({ slot, key }) => key.length > slotOf(slot).depth || key.some((part) => "match" in part));
    if (bad !== undefined) return bad.slot;
  }
  return slots.find(({ kind, depth, limit }) => (kind === "keyed") !== depth > 0 || limit === 0)?.name;
}

/** The first reference of a pack to something that does not exist, or a duplicate that would have no effect. */
function brokenPart(pack: CompiledPack): string | null {
  const phase = unknownPhase(pack);
  if (phase !== undefined) return `has no phase \`${phase}\``;
  const twice =
    repeated(pack.tools.map(({ name }) => name)) ??
    repeated(pack.phases?.names ?? []) ??
    repeated((pack.slots ?? []).map(({ name }) => name));
  if (twice !== undefined) return `has \`${twice}\` twice`;
  const slot = misusedSlot(pack);
  return slot === undefined ? brokenCheck(pack) : `has a slot \`${slot}\` of another kind`;
}

/** The first part of an artifact that points outside its table; null where all hold. */
export function danglingReference({ packs, workflow }: Artifact): string | null {
  if (packs.length === 0) return "artifact.packs is empty";
  for (const [at, pack] of packs.entries()) {
    const broken = brokenPart(pack);
    if (broken !== null) return `artifact.packs[${at}] ${broken}`;
  }
  const role = workflow?.roles.find(({ pack }) => pack >= packs.length);
  return role === undefined ? null : `artifact.packs has no pack ${role.pack} for the role \`${role.name}\``;
}
