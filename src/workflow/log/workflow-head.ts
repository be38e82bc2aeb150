import * as d from "../../base/decoder.js";
import type { WorkflowState } from "../state/workflow-state.js";

const head = d.object({
  artifact: d.string,
  workflow: d.string,
  killed: d.boolean,
  sessions: d.count,
  active: d.count,
});

/** What a list shows of a workflow without reading it. */
export type WorkflowHead = d.Decoded<typeof head>;

/** The text of the head of a workflow. */
export function encodeWorkflowHead(
  { artifact, workflow }: Pick<WorkflowHead, "artifact" | "workflow">,
  { isKilled, sessions, active }: WorkflowState,
): string {
  const text: WorkflowHead = { artifact, workflow, killed: isKilled, sessions: sessions.size, active };
  return JSON.stringify(text);
}

/** Reads the head of a workflow; null if it is none. */
export function decodeWorkflowHead(text: string): WorkflowHead | null {
  try {
    return head(JSON.parse(text), "head");
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof d.DecodeFailure) return null;
    throw cause;
  }
}
