import type { Artifact, CompiledPack, CompiledWorkflow } from "../../../artifact/compiled.js";
import type { Change, Direction } from "../../difference.js";
import { DIRECTIONS } from "../search/found-change.js";
import { shown } from "./settings.js";
import { strengthOf } from "./strength.js";
import { type WorkflowReading, workflowSettings } from "./workflow-settings.js";

type Pairs = ReadonlyMap<CompiledPack, CompiledPack>;

function setting(
  name: string,
  texts: { readonly before: string; readonly after: string },
  { direction, at }: { readonly direction: Direction; readonly at: Change["at"] },
): Change {
  return { kind: "changed", what: "setting", name, tools: [], ...texts, oldRule: null, newRule: null, direction, at };
}

/** A workflow restricts sessions; without it none of these restrictions is left. */
function wholeWorkflow(before: CompiledWorkflow | null, after: CompiledWorkflow | null): readonly Change[] {
  if (before === null && after === null) return [];
  const texts = { before: before?.name ?? "none", after: after?.name ?? "none" };
  const direction = after === null ? "weaker" : "unknown";
  return [setting("workflow", texts, { direction, at: (after ?? before)?.at ?? null })];
}

function ofWorkflow(
  before: CompiledWorkflow | null,
  after: CompiledWorkflow | null,
  reading: WorkflowReading,
): readonly Change[] {
  if (before === null || after === null) return wholeWorkflow(before, after);
  const turned: WorkflowReading = {
    before: reading.after,
    after: reading.before,
    isPair: (old, current) => reading.isPair(current, old),
  };
  const text = (value: unknown) => (value === undefined ? "none" : shown(value));
  return workflowSettings(before, after).flatMap(({ name, value, isAsStrong, at }) => {
    const texts = { before: text(value(before, reading.before)), after: text(value(after, reading.after)) };
    const strength = strengthOf(isAsStrong(after, before, reading), isAsStrong(before, after, turned));
    if (strength === "same") return [];
    return [setting(name, texts, { direction: DIRECTIONS[strength], at: at(after) ?? at(before) ?? null })];
  });
}

/** For every part of an artifact besides the packs, what changed in it; a new part does not compile without an entry. */
const PARTS: {
  readonly [K in keyof Artifact]-?: (before: Artifact, after: Artifact, pairs: Pairs) => readonly Change[];
} = {
  hash: () => [],
  packs: () => [],
  format: (before, after) => version("artifact format", [before.format, after.format], "unknown"),
  language: ({ language: before }, { language: after }) => {
    const isKnown = LANGUAGES.includes(before) && LANGUAGES.includes(after);
    return version("contract language", [before, after], isKnown ? "same" : "unknown");
  },
  workflow: (before, after, pairs) =>
    ofWorkflow(before.workflow, after.workflow, {
      before,
      after,
      isPair: (old, current) => current === undefined || old === undefined || pairs.get(current) === old,
    }),
};

/** Whatever is valid in 1.0 means the same in 1.1, and what 1.1 adds is compared by itself. */
const LANGUAGES: readonly string[] = ["1.0", "1.1"];

function version(
  name: string,
  [before, after]: readonly [number | string, number | string],
  direction: Direction,
): readonly Change[] {
  if (before === after) return [];
  return [setting(name, { before: String(before), after: String(after) }, { direction, at: null })];
}

/** The differences between two artifacts besides their packs. */
export function artifactChanges(before: Artifact, after: Artifact, pairs: Pairs): readonly Change[] {
  return Object.values(PARTS).flatMap((changesOf) => changesOf(before, after, pairs));
}
