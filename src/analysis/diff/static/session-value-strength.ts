import type { CompiledAggregate, CompiledEnvelope } from "../../../artifact/compiled.js";
import { canonicalJson } from "../../../base/canonical-json.js";
import { referencesOf } from "../../../guard/checks/envelope.js";
import { atomsOf, isSamePath } from "./entry-strength.js";
import { holdThen } from "./operator-strength.js";
import { contentOf } from "./rule-content.js";
import { type AsStrong, always, equal, inEveryField, isWithin, type Reading } from "./strength.js";

interface Bounds {
  readonly gte: number | null;
  readonly lte: number | null;
}

const POSITIVE = Number.POSITIVE_INFINITY;

function isBoundedAsMuch(after: Bounds, before: Bounds): boolean {
  return (after.lte ?? POSITIVE) <= (before.lte ?? POSITIVE) && (after.gte ?? -POSITIVE) >= (before.gte ?? -POSITIVE);
}

/** The bounds under an override; it keeps those that it does not name. */
function overridden({ gte, lte, when }: CompiledAggregate): readonly (Bounds & { readonly condition: string })[] {
  return when.map(({ slot, operators, then_gte, then_lte }) => ({
    condition: canonicalJson([slot, operators]),
    gte: then_gte ?? gte,
    lte: then_lte ?? lte,
  }));
}

/**
 * The first condition that holds decides. The old conditions must come first and be unchanged, or another one might decide;
 * those after them replace the old bounds.
 */
function areBoundsKept(after: CompiledAggregate, before: CompiledAggregate): boolean {
  const [current, old] = [overridden(after), overridden(before)];
  if (old.some(({ condition }, at) => current[at]?.condition !== condition)) return false;
  return (
    [after, ...current.slice(old.length)].every((bounds) => isBoundedAsMuch(bounds, before)) &&
    old.every((bounds, at) => isBoundedAsMuch(current[at] ?? after, bounds))
  );
}

/** A tool that the new pack does not have is never counted. */
function stillThere(tools: readonly string[], { after }: Reading): readonly string[] {
  return tools.filter((tool) => after.tools.some(({ name }) => name === tool));
}

const NOT_NEGATIVE = { op: "gte", value: 0 } as const;

/** Whether calls of a tool are only allowed with values of at least 0 at a path. */
function addsNothingNegative(tool: string, path: CompiledAggregate["path"], { after }: Reading): boolean {
  const checks = after.tools.find(({ name }) => name === tool)?.checks ?? [];
  const atoms = checks.flatMap((check) =>
    check.kind === "policy" || check.kind === "forbidden_by" || check.kind === "aggregate" || check.kind === "envelope"
      ? []
      : atomsOf(check),
  );
  return atoms.some(
    (atom) => path !== null && isSamePath(atom.path, path) && holdThen([atom.operator], [NOT_NEGATIVE]),
  );
}

/** Whether calls of additional tools can only bring the value nearer to the old bounds. */
function growsTowardsBounds(before: CompiledAggregate, further: readonly string[], reading: Reading): boolean {
  const bounds = [before, ...overridden(before)];
  const hasNoLower = bounds.every(({ gte }) => gte === null);
  switch (before.metric) {
    case "count":
    case "count_distinct":
    case "max":
      return hasNoLower;
    case "min":
      return bounds.every(({ lte }) => lte === null);
    case "sum":
      return hasNoLower && further.every((tool) => addsNothingNegative(tool, before.path, reading));
  }
}

const countsAsMuch: AsStrong<CompiledAggregate> = (after, before, reading) => {
  if (after.tools === null || before.tools === null) return after.tools === before.tools;
  const old = stillThere(before.tools, reading);
  const further = after.tools.filter((tool) => !old.includes(tool));
  return isWithin(old, after.tools) && (further.length === 0 || growsTowardsBounds(before, further, reading));
};

/** Compares the fields of an aggregate. */
export const isAggregateKept = inEveryField<CompiledAggregate>({
  at: always,
  name: always,
  reason: always,
  metric: equal(({ metric }) => metric),
  path: equal(({ path }) => path),
  // Counting values apart allows more; counting them together no longer asks for the value.
  per: equal(({ per }) => per ?? null),
  tools: countsAsMuch,
  // These three are compared together.
  gte: areBoundsKept,
  lte: always,
  when: always,
});

type Stage = CompiledEnvelope["stages"][number];

/** Stages as one text; the order matters within a tool, not between tools. */
function textOf(stages: readonly Stage[]): string {
  const sorted = [...stages].sort((a, b) => (a.tool < b.tool ? -1 : a.tool > b.tool ? 1 : 0));
  return canonicalJson(contentOf(sorted));
}

function isMonotonic({ constraint }: CompiledEnvelope): boolean {
  return constraint === "monotonic_decrease" || constraint === "monotonic_increase";
}

const areStagesKept: AsStrong<CompiledEnvelope> = (after, before, reading) => {
  const present = stillThere(
    before.stages.map(({ tool }) => tool),
    reading,
  );
  const old = before.stages.filter(({ tool }) => present.includes(tool));
  // Every stage of a monotonic envelope sets the reference for the next one.
  if (isMonotonic(before)) return textOf(after.stages) === textOf(old);
  const ofRole = (stages: readonly Stage[], role: string) => stages.filter((stage) => stage.role === role);
  const own = (stages: readonly Stage[]) =>
    ofRole(stages, "constrained")
      .filter(({ tool }) => tool === reading.tool)
      .map((stage) => canonicalJson(contentOf(stage)));
  return (
    referencesOf(before.constraint).every((role) => textOf(ofRole(after.stages, role)) === textOf(ofRole(old, role))) &&
    isWithin(own(old), own(after.stages))
  );
};

/** Compares the fields of an envelope. */
export const isEnvelopeKept = inEveryField<CompiledEnvelope>({
  at: always,
  name: always,
  reason: always,
  constraint: (after, before) =>
    isMonotonic(before)
      ? after.constraint === before.constraint
      : isWithin(referencesOf(before.constraint), referencesOf(after.constraint)),
  band: (after, before) => (after.band ?? POSITIVE) <= (before.band ?? POSITIVE),
  stages: areStagesKept,
});
