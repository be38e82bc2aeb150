import { BadRecord, firstPrevOfWorkflow } from "../../guard/durable/log-record.js";
import type { StreamForm } from "../../guard/durable/stream-form.js";
import { workflowStream } from "../../guard/durable/streams.js";
import type { WorkflowEvent } from "../state/workflow-event.js";
import type { WorkflowState } from "../state/workflow-state.js";
import { decodeWorkflowEvent } from "./decode-workflow-event.js";
import { encodeWorkflowHead } from "./workflow-head.js";
import { decodeWorkflow, decodeWorkflowSnapshot, encodeWorkflowSnapshot, workflowJson } from "./workflow-snapshot.js";

/** Which workflow a stream is about. */
export interface WorkflowIdentity {
  readonly id: string;
  /** Its name in workflow.yaml. */
  readonly name: string;
  readonly artifact: string;
}

/** What the records of a workflow are, and what its head and its snapshots say. */
export function workflowForm({ id, name, artifact }: WorkflowIdentity): StreamForm<WorkflowEvent, WorkflowState> {
  return {
    subject: "workflow",
    ...{ stream: workflowStream(id), first: firstPrevOfWorkflow(id), artifact, read: decodeWorkflowEvent },
    checkNote({ workflow }) {
      if (workflow !== undefined && workflow.id !== id) throw new BadRecord("it is of another workflow");
    },
    head: (after) => encodeWorkflowHead({ artifact, workflow: name }, after),
    stateJson: workflowJson,
    snapshot: (state, hash) => encodeWorkflowSnapshot({ workflow: id, hash, artifact, state }),
    base(data) {
      const snapshot = decodeWorkflowSnapshot(data);
      if (snapshot.workflow !== id) throw new BadRecord("the snapshot is of another workflow");
      return { ...snapshot, decode: decodeWorkflow };
    },
  };
}
