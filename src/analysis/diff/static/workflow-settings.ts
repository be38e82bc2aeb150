import type { Artifact, CompiledPack, CompiledWorkflow } from "../../../artifact/compiled.js";
import type { Place } from "../../../artifact/compiled-value.js";
import { isWithin } from "./strength.js";

/** The packs of roles, by which roles of two workflows are matched. */
export interface WorkflowReading {
  readonly before: Artifact;
  readonly after: Artifact;
  /** Whether an old and a new pack may be two versions of one; a pack of only one artifact is reported separately. */
  readonly isPair: (before: CompiledPack | undefined, after: CompiledPack | undefined) => boolean;
}

type AsStrong = (after: CompiledWorkflow, before: CompiledWorkflow, reading: WorkflowReading) => boolean;

/** One field of a workflow. */
export interface WorkflowSetting {
  readonly name: string;
  readonly value: (workflow: CompiledWorkflow) => unknown;
  readonly isAsStrong: AsStrong;
  readonly at: (workflow: CompiledWorkflow) => Place;
}

const CLOSING = { abandon: 0, request_cancel: 1, terminate: 2 } as const;

/** One mode blocks by the last writer, the other by pending calls; neither implies the other. */
const MODES: Readonly<Record<CompiledWorkflow["shared_resources"][number]["mode"], readonly string[]>> = {
  serial_only: ["serial_only"],
  exclusive_pending: ["exclusive_pending", "serial_only"],
  single_writer: ["single_writer", "serial_only"],
};

/** Roles may be removed, but not added, and none may start sessions of another pack. */
const areRolesKept: AsStrong = (after, before, reading) =>
  after.roles.every((role) => {
    const old = before.roles.find(({ name }) => name === role.name);
    return old !== undefined && reading.isPair(reading.before.packs[old.pack], reading.after.packs[role.pack]);
  });

type Handoff = CompiledWorkflow["handoffs"][number];

function isHandoffKept(
  after: Handoff,
  before: Handoff,
  defaults: readonly [CompiledWorkflow, CompiledWorkflow],
): boolean {
  const [now, then] = [after, before].map(
    ({ parent_close_policy: own }, at) => CLOSING[own ?? (at === 0 ? defaults[0] : defaults[1]).parent_close_policy],
  );
  return isWithin(before.requires_artifacts, after.requires_artifacts) && (now ?? 0) >= (then ?? 0);
}

/** None may be added; and a role without handoffs could be started by any caller. */
const areHandoffsKept: AsStrong = (after, before) => {
  const targets = new Set(after.handoffs.map(({ to }) => to));
  const isStarted = ({ to }: Handoff) => after.roles.some(({ name }) => name === to) && !targets.has(to);
  return (
    !before.handoffs.some(isStarted) &&
    after.handoffs.every((handoff) => {
      const old = before.handoffs.find(({ from, to }) => from === handoff.from && to === handoff.to);
      return old !== undefined && isHandoffKept(handoff, old, [after, before]);
    })
  );
};

type Limits = CompiledWorkflow["limits"];

const LIMITS: { readonly [K in keyof Limits]-?: (of: Limits) => number } = {
  max_sessions: ({ max_sessions: most }) => most ?? Number.POSITIVE_INFINITY,
  max_active_sessions: ({ max_active_sessions: most }) => most ?? Number.POSITIVE_INFINITY,
  max_total_steps: ({ max_total_steps: most }) => most ?? Number.POSITIVE_INFINITY,
  max_total_cost: ({ max_total_cost: most }) => most ?? Number.POSITIVE_INFINITY,
  max_open_handoffs: ({ max_open_handoffs: most }) => most ?? Number.POSITIVE_INFINITY,
};

/** For every field, whether its new form is as strong; null for names and places. */
const KEPT: { readonly [K in keyof CompiledWorkflow]-?: AsStrong | null } = {
  at: null,
  name: null,
  roles: areRolesKept,
  handoffs: areHandoffsKept,
  limits: ({ limits: after }, { limits: before }) =>
    Object.values(LIMITS).every((limit) => limit(after) <= limit(before)),
  shared_resources: (after, before) =>
    before.shared_resources.every(({ alias, mode }) =>
      after.shared_resources.some((now) => now.alias === alias && MODES[now.mode].includes(mode)),
    ),
  // The right to stop more sessions is a power, and to stop fewer is a risk: neither is stronger.
  subtree_kill: (after, before) => after.subtree_kill === before.subtree_kill,
  workflow_kill: (after, before) => before.workflow_kill === null || after.workflow_kill === before.workflow_kill,
  parent_close_policy: (after, before) => CLOSING[after.parent_close_policy] >= CLOSING[before.parent_close_policy],
};

function settingValue(key: string, workflow: CompiledWorkflow): unknown {
  if (key !== "roles") return Object.entries(workflow).find(([name]) => name === key)?.[1];
  const names = workflow.roles.map(({ name }) => name);
  return names.sort().join(", ");
}

/** The settings of workflows that both artifacts have. */
export const WORKFLOW_SETTINGS: readonly WorkflowSetting[] = Object.entries(KEPT).flatMap(([key, isAsStrong]) =>
  isAsStrong === null
    ? []
    : [
        {
          name: `workflow: ${key.replaceAll("_", " ")}`,
          value: (workflow: CompiledWorkflow) => settingValue(key, workflow),
          isAsStrong,
          at: ({ at }: CompiledWorkflow) => at,
        },
      ],
);
