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
  const found = head === null ? null : decodeHead(head);
  if (found === null || found.artifact !== artifact) return false;
  const { now } = rebuilt;
  if (now.kind === "unknown") return true;
  const { program, session } = now;
  const { role, workflow } = rebuilt;
  const text = headWriter({ artifact, role, workflow, agent: program.pack.agent ?? "" })(session);
  return canonicalJson(found) === canonicalJson(decodeHead(text));
}
