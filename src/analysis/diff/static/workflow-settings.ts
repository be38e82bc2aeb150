import type { Artifact, CompiledPack, CompiledWorkflow } from "../../../artifact/compiled.js";
import type { Place } from "../../../artifact/compiled-value.js";
import { packName } from "../../../artifact/pack-name.js";
import { isRoomMade } from "./room-made.js";
import { isWithin } from "./strength.js";

/** Two workflows, and the packs of their roles, by which roles are matched. */
export interface WorkflowReading {
  readonly before: Artifact;
  readonly after: Artifact;
  /** Whether an old and a new pack are two versions of one, which are compared by themselves. */
  readonly isPair: (before: CompiledPack | undefined, after: CompiledPack | undefined) => boolean;
}

type AsStrong = (after: CompiledWorkflow, before: CompiledWorkflow, reading: WorkflowReading) => boolean;

/** One setting of a workflow: a field, or an entry of one that has several. */
export interface WorkflowSetting {
  readonly name: string;
  /** Undefined where the workflow does not have it; as text, or as data to be written as JSON. */
  readonly value: (workflow: CompiledWorkflow, artifact: Artifact) => unknown;
  readonly isAsStrong: AsStrong;
  readonly at: (workflow: CompiledWorkflow) => Place | undefined;
}

type Handoff = CompiledWorkflow["handoffs"][number];
type Shared = CompiledWorkflow["shared_resources"][number];
type Limit = keyof CompiledWorkflow["limits"];
type ClosePolicy = CompiledWorkflow["parent_close_policy"];
/** A handoff, and the workflow that declares it. */
type HandoffOf = readonly [handoff: Handoff, workflow: CompiledWorkflow];

/** A child that is stopped at once does less than one that may finish its call, and that one less than one that goes on. */
const CLOSING: Readonly<Record<ClosePolicy, number>> = { abandon: 0, request_cancel: 1, terminate: 2 };

/** Whether handoffs with `terminate` lead to a role: its sessions are killed as descendants, and all that they have not abandoned. */
function isBelowTerminated(role: string, workflow: CompiledWorkflow): boolean {
  const above = new Set([role]);
  for (const name of above) {
    const leading = workflow.handoffs.filter(({ to }) => to === name);
    if (leading.some((handoff) => closingOf(handoff, workflow) === "terminate")) return true;
    for (const { from } of leading) above.add(from);
  }
  return false;
}

/** Whether a kill reaches children whose parents have ended, unless they were abandoned. */
function areKilledBelow({ from }: Handoff, workflow: CompiledWorkflow): boolean {
  return workflow.subtree_kill || isBelowTerminated(from, workflow);
}

/** Whether a child is stopped as early as under the old policy, and nobody else may do more because it is killed. */
function isAsClosed([now, after]: HandoffOf, [old, before]: HandoffOf): boolean {
  const [policy, was] = [closingOf(now, after), closingOf(old, before)];
  if (policy === was) return true;
  const isKilled = policy === "terminate" || (was === "abandon" && areKilledBelow(now, after));
  return CLOSING[policy] > CLOSING[was] && !(isKilled && isRoomMade(before));
}

/**
 * The modes that refuse everything that a mode refuses. `single_writer` goes by the last writer and `exclusive_pending` by
 * pending calls, reads too: neither implies the other.
 */
const MODES: Readonly<Record<Shared["mode"], readonly Shared["mode"][]>> = {
  serial_only: ["serial_only"],
  exclusive_pending: ["exclusive_pending", "serial_only"],
  single_writer: ["single_writer", "serial_only"],
};

/** A role may be removed, but not added, and must not start sessions of another pack. */
function roleSetting(name: string): WorkflowSetting {
  const of = ({ roles }: CompiledWorkflow) => roles.find((role) => role.name === name);
  return {
    name: `workflow: role ${name}`,
    value: (workflow, { packs }) => {
      const pack = packs[of(workflow)?.pack ?? packs.length];
      return pack === undefined ? undefined : packName(pack);
    },
    isAsStrong: (after, before, reading) => {
      const [now, old] = [of(after), of(before)];
      if (now === undefined) return true;
      return old !== undefined && reading.isPair(reading.before.packs[old.pack], reading.after.packs[now.pack]);
    },
    at: (workflow) => of(workflow)?.at,
  };
}

function closingOf({ parent_close_policy: own }: Handoff, workflow: CompiledWorkflow): ClosePolicy {
  return own ?? workflow.parent_close_policy;
}

/** Whether any caller may start sessions of the role: no handoff leads to it. */
function startsAlone(role: string, { roles, handoffs }: CompiledWorkflow): boolean {
  return roles.some(({ name }) => name === role) && handoffs.every(({ to }) => to !== role);
}

/** A handoff may be removed, but not added; and a role without the last one to it could be started by any caller. */
function handoffSetting({ from, to }: Handoff): WorkflowSetting {
  const of = ({ handoffs }: CompiledWorkflow) => handoffs.find((handoff) => handoff.from === from && handoff.to === to);
  return {
    name: `workflow: handoff ${from} → ${to}`,
    value: (workflow) => {
      const handoff = of(workflow);
      if (handoff === undefined) return undefined;
      return { requires_artifacts: handoff.requires_artifacts, parent_close_policy: closingOf(handoff, workflow) };
    },
    isAsStrong: (after, before) => {
      const [now, old] = [of(after), of(before)];
      if (now === undefined) return old === undefined || !startsAlone(to, after);
      if (old === undefined) return false;
      const isStopped = isAsClosed([now, after], [old, before]);
      return isWithin(old.requires_artifacts, now.requires_artifacts) && isStopped;
    },
    at: (workflow) => of(workflow)?.at,
  };
}

/** The default policy matters to the handoffs without their own. */
const isDefaultAsClosed: AsStrong = (after, before) => {
  if (after.parent_close_policy === before.parent_close_policy) return true;
  return after.handoffs.every((now) => {
    const old = before.handoffs.find((handoff) => isSameHandoff(now, handoff));
    if (old === undefined || (now.parent_close_policy !== null && old.parent_close_policy !== null)) return true;
    return isAsClosed([now, after], [old, before]);
  });
};

/** A limit may only be lowered; null means none. */
function limitSetting(limit: Limit): WorkflowSetting {
  const most = ({ limits }: CompiledWorkflow) => limits[limit] ?? Number.POSITIVE_INFINITY;
  return {
    name: `workflow: ${limit.replaceAll("_", " ")}`,
    value: ({ limits }) => limits[limit] ?? undefined,
    isAsStrong: (after, before) => most(after) <= most(before),
    at: ({ at }) => at,
  };
}

/** A resource may be shared in addition, and in a mode that refuses more. */
function sharedSetting(alias: string): WorkflowSetting {
  const of = ({ shared_resources: shared }: CompiledWorkflow) => shared.find((resource) => resource.alias === alias);
  return {
    name: `workflow: shared resource ${alias}`,
    value: (workflow) => of(workflow)?.mode,
    isAsStrong: (after, before) => {
      const [now, old] = [of(after), of(before)];
      return old === undefined || (now !== undefined && MODES[now.mode].includes(old.mode));
    },
    at: (workflow) => of(workflow)?.at,
  };
}

function fieldSetting(
  field: "subtree_kill" | "workflow_kill" | "parent_close_policy",
  isAsStrong: AsStrong,
): WorkflowSetting {
  return {
    name: `workflow: ${field.replaceAll("_", " ")}`,
    value: (workflow) => workflow[field] ?? undefined,
    isAsStrong,
    at: ({ at }) => at,
  };
}

const LIMITS: { readonly [K in Limit]-?: WorkflowSetting } = {
  max_sessions: limitSetting("max_sessions"),
  max_active_sessions: limitSetting("max_active_sessions"),
  max_total_steps: limitSetting("max_total_steps"),
  max_total_cost: limitSetting("max_total_cost"),
  max_open_handoffs: limitSetting("max_open_handoffs"),
};

function isSameHandoff(one: Handoff, other: Handoff): boolean {
  return one.from === other.from && one.to === other.to;
}

/** The entries of both workflows, those that only the old one has last. */
function union<T>(before: readonly T[], after: readonly T[], isSame: (one: T, other: T) => boolean): readonly T[] {
  return [...after, ...before.filter((old) => !after.some((now) => isSame(old, now)))];
}

/** For every field of two workflows its settings; names and places have none. A new field does not compile without an entry. */
const OF_FIELD: {
  readonly [K in keyof CompiledWorkflow]-?: (
    before: CompiledWorkflow,
    after: CompiledWorkflow,
  ) => readonly WorkflowSetting[];
} = {
  at: () => [],
  name: () => [],
  roles: (before, after) =>
    union(before.roles, after.roles, (one, other) => one.name === other.name).map(({ name }) => roleSetting(name)),
  handoffs: (before, after) => union(before.handoffs, after.handoffs, isSameHandoff).map(handoffSetting),
  limits: () => Object.values(LIMITS),
  shared_resources: ({ shared_resources: before }, { shared_resources: after }) =>
    union(before, after, (one, other) => one.alias === other.alias).map(({ alias }) => sharedSetting(alias)),
  // The right to stop more sessions is a power, and to stop fewer is a risk: neither is stronger.
  subtree_kill: () => [fieldSetting("subtree_kill", (after, before) => after.subtree_kill === before.subtree_kill)],
  workflow_kill: () => [
    fieldSetting(
      "workflow_kill",
      (after, before) => before.workflow_kill === null || after.workflow_kill === before.workflow_kill,
    ),
  ],
  parent_close_policy: () => [fieldSetting("parent_close_policy", isDefaultAsClosed)],
};

/** The settings of two workflows. */
export function workflowSettings(before: CompiledWorkflow, after: CompiledWorkflow): readonly WorkflowSetting[] {
  return Object.values(OF_FIELD).flatMap((settingsOf) => settingsOf(before, after));
}
