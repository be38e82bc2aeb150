import { canonicalJson } from "../base/canonical-json.js";
import { decodeHead, headWriter } from "../guard/durable/session-head.js";
import { decodeSnapshot, type Snapshot } from "../guard/durable/session-snapshot.js";
import type { LoadedStream } from "../guard/durable-store.js";
import type { RebuiltSession, SnapshotAt } from "./rebuilt-session.js";

/** Reads a snapshot, whoever wrote it. */
export function readSnapshot(stored: LoadedStream["snapshot"]): SnapshotAt | null {
  if (stored === null) return null;
  let snapshot: Snapshot;
  try {
    snapshot = decodeSnapshot(stored.data);
  } catch {
    return null;
  }
  return { revision: stored.revision, snapshot };
}

/** Whether the head of a stream says what its records lead to, as far as that is known. */
export function headFits(head: string | null, rebuilt: RebuiltSession, artifact: string | null): boolean {
  if (head === null || decodeHead(head)?.artifact !== artifact) return false;
  const { now } = rebuilt;
  if (now.kind === "unknown") return true;
  const { program, session } = now;
  const { role, workflow } = rebuilt;
  const text = headWriter({ artifact, role, workflow, agent: program.pack.agent ?? "" })(session);
  // Not what is read of it: a member that is missing, or is of another type, is read as if it were empty.
  return canonicalJson(JSON.parse(head)) === canonicalJson(JSON.parse(text));
}
