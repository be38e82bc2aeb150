import { REASONS, type Reason } from "../../artifact/reasons.js";
import { clean } from "../../base/clean.js";
import { cut } from "../../base/wording.js";
import { type Block, block } from "../../guard/decide/verdict.js";
import { isArtifactChanged } from "../../guard/durable/log-errors.js";
import type { BlockVerdict } from "../../guard/public.js";

const OVER = "nothing more starts or happens there";

/** What helps, where the texts of the refusal do not say it already. */
const HINTS: Readonly<Partial<Record<Reason, string>>> = {
  workflow_killed: `the workflow is over: ${OVER}`,
  session_killed: `the session is over: ${OVER}`,
  session_closed: `the session is over: ${OVER}`,
  cancel_requested: "the session was asked to end: close it",
  workflow_limit_exceeded: "close sessions that are done, if their number is limited; what was used up stays so",
  handoff_artifact_invalid: "pass plain JSON, and of what is larger only where it is",
  session_exists: "choose another `sessionId`, or `attach` the session of this workflow",
  kill_not_permitted: "kill single sessions, or the whole workflow with the `operator` who has the authority",
  artifact_changed:
    "open the workflow with the artifact that it began under, or begin another one under another `workflowId`",
};

/** A refusal in the form that callers get. */
function verdictOf({ reason, at, required, found }: Block): BlockVerdict {
  const rule = at === null ? {} : { rule: { file: at.file, line: at.line } };
  const hint = HINTS[reason] ?? `needed: ${required}`;
  return { kind: "block", reason, message: REASONS[reason], ...rule, required, found, hint };
}

/** A start, a handoff or a kill was refused; `verdict` says why, as for a call. */
export class WorkflowRefused extends Error {
  /** Not enumerable: what was found may be private, and errors end up in logs. */
  declare readonly verdict: BlockVerdict;

  constructor(what: string, verdict: BlockVerdict) {
    const { reason, message, rule, hint } = verdict;
    const place = rule === undefined ? "" : ` (${rule.file}:${rule.line})`;
    super(clean(`${cut(what)}: ${reason}: ${message}${place}; ${hint}`));
    this.name = "WorkflowRefused";
    Object.defineProperty(this, "verdict", { value: verdict, enumerable: false });
  }
}

/** A refusal as what callers catch. */
export function workflowRefused(what: string, refused: Block): WorkflowRefused {
  return new WorkflowRefused(what, verdictOf(refused));
}

/** Does something in a workflow; if it began under another artifact, that is refused. */
export async function unlessChanged<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!isArtifactChanged(cause)) throw cause;
    throw workflowRefused(what, block("artifact_changed", null, cause.required, cause.found));
  }
}
