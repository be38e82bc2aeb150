import type { Artifact } from "../../src/artifact/compiled.js";
import { readWorkflowRecord } from "../../src/audit/read-record.js";
import { replayStore } from "../../src/audit/replay/replay-store.js";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { workflowView } from "../../src/workflow/api/workflow-view.js";
import { decodeWorkflow, workflowJson } from "../../src/workflow/log/workflow-snapshot.js";
import { workflowRules } from "../../src/workflow/rules/workflow-rules.js";
import { advanceWorkflow } from "../../src/workflow/state/advance-workflow.js";
import { newWorkflow } from "../../src/workflow/state/workflow-state.js";
import type { WorkflowState } from "./reference/model.js";

/** What the log of a workflow leads to. */
export interface Rebuilt {
  readonly state: WorkflowState;
  /** The whole state as text: replayed at once, and by readers each of which begins with the snapshot of the one before. */
  readonly replayed: string;
  readonly fromSnapshots: string;
  /** What an audit finds that decides every verdict again, without the principals and the environment of the guards. */
  readonly problems: readonly unknown[];
}

/** Replays the log of a workflow twice: without a snapshot, and with one after every record. */
export async function rebuilt(artifact: Artifact, store: DurableStore, workflow: string): Promise<Rebuilt> {
  const rules = workflowRules(artifact);
  if (rules === null) throw new Error("the artifact has no workflow");
  const plain = newWorkflow();
  let kept = newWorkflow();
  for (const { data } of await store.read(`workflow/${workflow}`, 0, 10_000)) {
    const { record } = readWorkflowRecord(data);
    if (record === null || "sealed" in record.content) throw new Error("a record cannot be read");
    const { event } = record.content;
    if (event === null) continue;
    advanceWorkflow(rules, plain, event);
    kept = decodeWorkflow(JSON.parse(JSON.stringify(workflowJson(kept))));
    advanceWorkflow(rules, kept, event);
  }
  const text = (state: typeof plain) => JSON.stringify(workflowJson(state));
  const { result } = await replayStore(store, { artifact, principals: new Map(), env: {}, session: null });
  const { problems } = result;
  return { state: workflowView(rules, plain), replayed: text(plain), fromSnapshots: text(kept), problems };
}
