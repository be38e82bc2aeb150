import { canonicalJson, contentHash } from "../base/canonical-json.js";
import type { LogRecord } from "../guard/durable/log-record.js";
import type { LoadedStream, StoredRecord } from "../guard/durable-store.js";
import { decodeWorkflowHead, encodeWorkflowHead } from "../workflow/log/workflow-head.js";
import { decodeWorkflowSnapshot, workflowJson } from "../workflow/log/workflow-snapshot.js";
import { type WorkflowRules, workflowRules } from "../workflow/rules/workflow-rules.js";
import { advanceWorkflow } from "../workflow/state/advance-workflow.js";
import type { WorkflowEvent } from "../workflow/state/workflow-event.js";
import { type Member, newWorkflow, type WorkflowState } from "../workflow/state/workflow-state.js";
import type { Chain } from "./chain.js";
import { workflowIn } from "./log-name.js";
import { readWorkflowRecord } from "./read-record.js";
import type { StoredArtifacts } from "./stored-artifacts.js";

/** Rebuilds a workflow from its records, one after the other. */
class RebuiltWorkflow {
  readonly state: WorkflowState = newWorkflow();
  /** Nothing is known from the first record on that cannot be read. */
  isKnown = true;

  constructor(readonly rules: WorkflowRules | null) {
    this.isKnown = rules !== null;
  }

  /** The state as a snapshot has it, in canonical form; null if it is not known. */
  get text(): string | null {
    return this.isKnown ? canonicalJson(workflowJson(this.state)) : null;
  }

  /** Applies a record; false if it does not fit. */
  apply({ content }: LogRecord<WorkflowEvent>): boolean {
    if ("sealed" in content) this.isKnown = false;
    if (this.rules === null || !this.isKnown || "sealed" in content || content.event === null) return true;
    try {
      advanceWorkflow(this.rules, this.state, content.event);
      return true;
    } catch {
      // An invariant of the workflow: what the record says cannot have happened.
      this.isKnown = false;
      return false;
    }
  }
}

/** What checking the log of a workflow needs. */
interface Checked {
  readonly chain: Chain;
  readonly loaded: LoadedStream;
  readonly artifacts: StoredArtifacts;
  seen(record: LogRecord<WorkflowEvent>): void;
}

/** Checks the log of one workflow, its snapshot and its head. Gives its sessions, as far as they are known. */
export async function checkWorkflowLog(
  checked: Checked,
  records: AsyncIterable<StoredRecord>,
): Promise<Iterable<Pick<Member, "id" | "revision">>> {
  const { chain, loaded, seen } = checked;
  let rebuilt = new RebuiltWorkflow(null);
  let count = 0;
  /** The one that the snapshot has to have; null if it is not known. */
  let state: string | null = null;
  for await (const { data } of records) {
    count += 1;
    const read = readWorkflowRecord(data);
    if (read.record === null) {
      chain.takeUnreadable(read.why);
      rebuilt.isKnown = false;
      continue;
    }
    const { record } = read;
    if (count === 1) rebuilt = new RebuiltWorkflow(await rulesOf(checked, record));
    if (!chain.take(record)) continue;
    seen(record);
    if (!rebuilt.apply(record)) chain.report(record.n, "cannot have happened after the records before it");
    if (record.n === loaded.snapshot?.revision) state = rebuilt.text;
  }
  if (count < loaded.revision) chain.report(chain.next, "is missing");
  const wrong = snapshotProblem(chain, loaded.snapshot, state);
  if (wrong !== null) chain.report(chain.stateRecord?.n ?? loaded.snapshot?.revision ?? chain.end.count, wrong);
  if (!headFits(loaded.head, rebuilt, chain.lastArtifact)) {
    chain.report(chain.end.count, "is not what the head of the stream says");
  }
  return rebuilt.state.sessions.values();
}

async function rulesOf(
  { chain, artifacts }: Checked,
  { n, artifact: hash }: LogRecord<WorkflowEvent>,
): Promise<WorkflowRules | null> {
  const artifact = await artifacts.get(hash);
  if (artifact === null) chain.report(n, "is of an artifact that the store does not have");
  return artifact === null ? null : workflowRules(artifact);
}

function snapshotProblem(
  { stateRecord: record, session }: Chain,
  stored: LoadedStream["snapshot"],
  state: string | null,
): string | null {
  if (stored === null) return record === null ? null : "has no snapshot any more";
  try {
    const snapshot = decodeWorkflowSnapshot(stored.data);
    if (stored.revision !== record?.n || contentHash(snapshot.state) !== record.state) {
      return "has a snapshot that does not fit it";
    }
    const isNamed = snapshot.workflow === workflowIn(session) && snapshot.hash === record.hash;
    if (!isNamed || snapshot.artifact !== record.artifact) return "has a snapshot that says to be another one";
    const isSame = state === null || canonicalJson(JSON.parse(snapshot.state)) === state;
    return isSame ? null : "has a snapshot with another state than its records lead to";
  } catch {
    return "has a snapshot that cannot be read";
  }
}

function headFits(head: string | null, { rules, state, isKnown }: RebuiltWorkflow, artifact: string | null): boolean {
  const found = head === null ? null : decodeWorkflowHead(head);
  if (found === null || found.artifact !== artifact) return false;
  if (!isKnown || rules === null) return true;
  const expected = decodeWorkflowHead(encodeWorkflowHead({ artifact, workflow: rules.name }, state));
  return canonicalJson(found) === canonicalJson(expected);
}
