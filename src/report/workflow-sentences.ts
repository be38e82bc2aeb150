import { amount, listed } from "../base/wording.js";
import { named } from "./sentence-words.js";
import type { HandoffModel, SharedModel, WorkflowModel } from "./workflow-model.js";

/** What happens to a child when its parent ends, as a clause about the child. */
export const CLOSING: Readonly<Record<HandoffModel["closing"], string>> = {
  request_cancel: "it may finish the call it is in, and every new call of it is refused",
  terminate: "it is killed, with everybody it handed work to",
  abandon: "it goes on, as if nobody had started it",
};

/** What a mode refuses. */
export const SHARING: Readonly<Record<SharedModel["mode"], string>> = {
  single_writer:
    "The first session that changes one owns it until that session has ended and its calls on it are settled, or until every change by it is known not to have happened. Changes by any other session are refused; reads are not.",
  exclusive_pending:
    "While a session has an unsettled call on one, every call of another session on it is refused, reads too.",
  serial_only: "While a change of one is unsettled, a change by another session is refused; reads are not.",
};

const LIMITS: Readonly<Record<keyof WorkflowModel["limits"], readonly [title: string, refused: string]>> = {
  max_sessions: ["Sessions started, ended ones included", "further starts and handoffs are refused"],
  max_active_sessions: ["Sessions at the same time", "further starts and handoffs are refused until one has ended"],
  max_open_handoffs: [
    "Children at the same time",
    "further handoffs are refused until a child has ended or goes on without its parent",
  ],
  max_total_steps: [
    "Steps of all sessions together",
    "further steps are refused in every session, and calls that begin one; those in a step that is open are not",
  ],
  max_total_cost: ["Cost of all sessions together, in USD", "further steps and calls are refused in every session"],
};

/** A limit in words; without a number there is none. */
export interface LimitWords {
  readonly title: string;
  readonly most: string | null;
  readonly refused: string;
}

/** Every limit that a workflow may have. */
export function limitWords({ limits }: WorkflowModel): readonly LimitWords[] {
  const rows: readonly (readonly [keyof WorkflowModel["limits"], number | null])[] = [
    ["max_sessions", limits.max_sessions],
    ["max_active_sessions", limits.max_active_sessions],
    ["max_open_handoffs", limits.max_open_handoffs],
    ["max_total_steps", limits.max_total_steps],
    ["max_total_cost", limits.max_total_cost],
  ];
  return rows.map(([limit, most]) => {
    const [title, refused] = LIMITS[limit];
    return { title, most: most === null ? null : amount(most), refused };
  });
}

function names(list: readonly string[], last: "and" | "or" = "and"): string {
  return listed(list.map(named), last);
}

/** Who starts sessions of which role. */
export function startSentences({ roles }: WorkflowModel): readonly string[] {
  const [roots, others] = [true, false].map((isRoot) => roles.filter((role) => role.isRoot === isRoot));
  const list = (of: typeof roots) => names((of ?? []).map(({ name }) => name));
  return [
    ...(roots?.length === 0 ? [] : [`Sessions of ${list(roots)} are started by the program that runs the workflow.`]),
    ...(others?.length === 0 ? [] : [`Sessions of ${list(others)} start only by a handoff that is listed here.`]),
  ];
}

/** Who may end what. */
export function endSentences({ closing, subtreeKill, workflowKill, handoffs }: WorkflowModel): readonly string[] {
  const isUsed = handoffs.some(({ isDefault }) => isDefault);
  return [
    "A kill is final: every further call of the session is refused. Killing one session ends its children as if it had closed.",
    subtreeKill
      ? "A session may be killed together with all its descendants."
      : "A session cannot be killed together with all its descendants: that is refused.",
    workflowKill === null
      ? "The program that runs the workflow may kill all of it without naming an operator."
      : "Only an operator may kill the whole workflow: without the name of one it is refused.",
    "After a kill of the whole workflow nothing starts in it any more.",
    `Where a handoff has no policy of its own${isUsed ? "" : " (there is none such)"}, this happens to a child whose parent ends: ${CLOSING[closing]}.`,
  ];
}

/** What a role may do in the workflow. */
export function roleSentences(workflow: WorkflowModel, role: string): readonly string[] {
  const { roles, handoffs, resources } = workflow;
  const isRoot = roles.some(({ name, isRoot }) => name === role && isRoot);
  const [from, to] = [handoffs.filter((one) => one.to === role), handoffs.filter((one) => one.from === role)];
  const brings = ({ artifacts }: HandoffModel) => (artifacts.length === 0 ? "" : `, bringing ${names(artifacts)}`);
  return [
    ...(isRoot ? ["Its sessions are started by the program that runs the workflow."] : []),
    ...from.map(
      (handoff) =>
        `Its sessions start by a handoff from ${named(handoff.from)}${brings(handoff)}. When that parent ends, ${CLOSING[handoff.closing]}.`,
    ),
    ...to.map((handoff) => `It may hand work to ${named(handoff.to)}${brings(handoff)}.`),
    ...(to.length === 0 ? ["It can hand work to nobody."] : []),
    ...resources.flatMap(({ alias, roles: touching }) =>
      touching
        .filter((touch) => touch.role === role)
        .map(({ path, reads, changes }) => {
          const does = [
            ...(changes.length === 0 ? [] : [`changes it with ${names(changes)}`]),
            ...(reads.length === 0 ? [] : [`reads it with ${names(reads)}`]),
          ];
          const how = does.length === 0 ? "has no tool that can touch it" : listed(does, "and");
          return `It shares ${named(alias)}, named by ${path}, and ${how}.`;
        }),
    ),
  ];
}
