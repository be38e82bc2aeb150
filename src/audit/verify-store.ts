import { contentHash } from "../base/canonical-json.js";
import type { LogRecord } from "../guard/durable/log-record.js";
import {
  isStorable,
  SESSION_PREFIX,
  sessionOf,
  sessionStream,
  WORKFLOW_PREFIX,
  workflowStream,
} from "../guard/durable/streams.js";
import type { DurableStore, ListedStream, LoadedStream } from "../guard/durable-store.js";
import { Chain, type SessionEnd } from "./chain.js";
import type { CheckpointCheck } from "./checkpoint-check.js";
import { workflowLog } from "./log-name.js";
import { Problems, type Report } from "./problem.js";
import { readRecord } from "./read-record.js";
import { RebuiltSession } from "./rebuilt-session.js";
import { programUnder, StoredArtifacts } from "./stored-artifacts.js";
import { headFits, readSnapshot } from "./stored-state.js";
import { isDamage, isDeleted, loadedStream, recordsOf, streamsOf } from "./stored-streams.js";
import type { Checking } from "./verify-export.js";
import { checkWorkflowLog } from "./workflow-log.js";

/** Why the snapshot of a stream is not the one that its records name; null if it is. */
function snapshotProblem(chain: Chain, rebuilt: RebuiltSession, stored: LoadedStream["snapshot"]): string | null {
  const { stateRecord: record, session } = chain;
  if (stored === null) return record === null ? null : "has no snapshot any more";
  const read = readSnapshot(stored);
  if (read === null) return "has a snapshot that cannot be read";
  const { revision, snapshot } = read;
  if (revision !== record?.n || contentHash(snapshot.state) !== record.state)
    return "has a snapshot that does not fit it";
  const { hash, artifact } = record;
  const isNamed = snapshot.session === session && snapshot.hash === hash && snapshot.artifact === artifact;
  const isOfRole = rebuilt.now.kind === "unknown" || snapshot.role === rebuilt.role;
  return isNamed && isOfRole ? null : "has a snapshot that says to be another one";
}

function lacking(count: number): string {
  return `is missing: sessions were judged by ${count} records`;
}

/** Checks what a store has of sessions. */
class StoreCheck {
  readonly problems = new Problems();
  private readonly artifacts: StoredArtifacts;
  /** How many records each workflow must have: its sessions were judged by them. By the name of its log. */
  private readonly judgedBy = new Map<string, number>();

  constructor(
    private readonly store: DurableStore,
    private readonly checkpoints: CheckpointCheck | null,
    private readonly onEnd: (end: SessionEnd) => void,
  ) {
    this.artifacts = new StoredArtifacts(store);
  }

  async run(): Promise<Report> {
    let [records, sessions, workflows] = [0, 0, 0];
    await this.unlessDamaged(null, async () => {
      for await (const listed of streamsOf(this.store, SESSION_PREFIX)) {
        const end = await this.session(listed);
        if (end === null) continue;
        records += this.ended(end);
        sessions += 1;
      }
      for await (const listed of streamsOf(this.store, WORKFLOW_PREFIX)) {
        records += this.ended(await this.workflow(listed));
        workflows += 1;
      }
      for (const [log, count] of this.judgedBy) this.problems.add(log, 1, lacking(count));
      await this.artifacts.check(this.problems);
    });
    this.checkpoints?.finish(this.problems);
    return this.problems.report({ records, sessions, workflows });
  }

  /** How many records it has. */
  private ended(end: SessionEnd): number {
    this.checkpoints?.ended(end);
    this.onEnd(end);
    return end.count;
  }

  private async workflow(listed: ListedStream): Promise<SessionEnd> {
    const chain = new Chain(workflowLog(listed.stream), this.problems);
    await this.unlessDamaged(chain, async () => {
      const { loaded, damage } = await loadedStream(this.store, listed);
      const seen = (record: { readonly n: number; readonly hash: string }) =>
        this.checkpoints?.seen(chain.session, record, this.problems);
      const records = recordsOf(this.store, listed.stream, loaded.revision);
      const members = await checkWorkflowLog({ chain, loaded, artifacts: this.artifacts, seen }, records);
      for (const member of members) await this.member(chain, member);
      if (damage !== null) throw damage;
    });
    const judged = this.judgedBy.get(chain.session) ?? 0;
    if (chain.end.count < judged) chain.report(chain.next, lacking(judged));
    this.judgedBy.delete(chain.session);
    return chain.end;
  }

  /** A session has the records that its workflow knows of. */
  private async member(
    chain: Chain,
    { id, revision }: { readonly id: string; readonly revision: number },
  ): Promise<void> {
    if (!isStorable(id)) return chain.report(chain.end.count, "is of a session that no store can have");
    const stream = sessionStream(id);
    // Not as it was when the session was checked: guards may go on meanwhile.
    const [listed] = await this.store.list({ prefix: stream, limit: 1 });
    const count = listed?.stream === stream ? listed.revision : 0;
    if (count < revision) this.problems.add(id, count + 1, `is missing: its workflow knows ${revision} records`);
  }

  /** Null if it was deleted since it was listed. */
  private async session(listed: ListedStream): Promise<SessionEnd | null> {
    const chain = new Chain(sessionOf(listed.stream), this.problems);
    let isDeletedNow = false;
    await this.unlessDamaged(chain, async () => {
      const { loaded, damage } = await loadedStream(this.store, listed);
      const rebuilt = await this.records(chain, listed.stream, loaded);
      isDeletedNow = rebuilt === null;
      if (rebuilt === null) return;
      if (damage !== null) throw damage;
      const wrong = snapshotProblem(chain, rebuilt, loaded.snapshot);
      if (wrong !== null) chain.report(chain.stateRecord?.n ?? loaded.snapshot?.revision ?? chain.end.count, wrong);
      if (!headFits(loaded.head, rebuilt, chain.lastArtifact)) {
        chain.report(chain.end.count, "is not what the head of the stream says");
      }
    });
    return isDeletedNow ? null : chain.end;
  }

  /** Null if the session was deleted meanwhile. */
  private async records(chain: Chain, stream: string, loaded: LoadedStream): Promise<RebuiltSession | null> {
    if (loaded.revision === 0) return null;
    let artifact: Awaited<ReturnType<StoredArtifacts["get"]>> = null;
    const programOf = (_hash: string, role: string | null) =>
      artifact === null ? null : programUnder(artifact, role, {});
    const rebuilt = new RebuiltSession(programOf, readSnapshot(loaded.snapshot));
    let count = 0;
    let workflow: string | null = null;
    for await (const { data } of recordsOf(this.store, stream, loaded.revision)) {
      count += 1;
      const read = readRecord(data);
      if (read.record === null) {
        chain.takeUnreadable(read.why);
        rebuilt.lose("broken");
        continue;
      }
      const { record } = read;
      if (record.artifact !== chain.lastArtifact) artifact = await this.artifactOf(chain, record);
      if (!chain.take(record)) continue;
      const { note = null } = "sealed" in record.content ? {} : record.content;
      workflow ??= note?.opened?.workflow ?? null;
      if (workflow !== null) this.judged(workflowLog(workflowStream(workflow)), note?.judgedAt ?? 1);
      this.checkpoints?.seen(chain.session, record, this.problems);
      rebuilt.before(record);
      if (!rebuilt.apply(record)) chain.report(record.n, "cannot have happened after the records before it");
    }
    if (count < loaded.revision) {
      if (await isDeleted(this.store, stream)) return null;
      chain.report(chain.next, "is missing");
    }
    return rebuilt;
  }

  private judged(log: string, count: number): void {
    this.judgedBy.set(log, Math.max(count, this.judgedBy.get(log) ?? 0));
  }

  private async artifactOf(chain: Chain, { n, artifact: hash }: LogRecord) {
    const artifact = await this.artifacts.get(hash);
    if (artifact === null) chain.report(n, "is of an artifact that the store does not have");
    return artifact;
  }

  /** What a store refuses to hand out is a problem of the log. */
  private async unlessDamaged(chain: Chain | null, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      if (!isDamage(cause)) throw cause;
      if (chain === null) this.problems.add(null, null, `the store is damaged: ${cause.message}`);
      else chain.report(chain.next, `is damaged: ${cause.message}`);
    }
  }
}

/** Checks the log of every session in a store, with its snapshot and its head, and the artifacts. */
export async function verifyStore(
  store: DurableStore,
  { checkpoints = null, onEnd = () => undefined }: Checking = {},
): Promise<Report> {
  return new StoreCheck(store, checkpoints, onEnd).run();
}
