import type { Artifact } from "../../artifact/compiled.js";
import { canonicalJson } from "../../base/canonical-json.js";
import type { Json } from "../../base/json.js";
import type { LogRecord } from "../../guard/durable/log-record.js";
import { encodeSnapshot } from "../../guard/durable/session-snapshot.js";
import { sessionOf, WORKFLOW_PREFIX, workflowStream } from "../../guard/durable/streams.js";
import type { DurableStore, ListedStream, LoadedStream } from "../../guard/durable-store.js";
import { variablesIn } from "../../guard/program/prepare-program.js";
import type { Program } from "../../guard/program/program.js";
import { advance } from "../../guard/session/advance.js";
import { copySession, type Session } from "../../guard/session/session.js";
import { type WorkflowRules, workflowRules } from "../../workflow/rules/workflow-rules.js";
import { Chain } from "../chain.js";
import { sessionStreams } from "../export-log.js";
import { workflowLog } from "../log-name.js";
import { Problems, type Report } from "../problem.js";
import { readRecord } from "../read-record.js";
import { type Known, RebuiltSession, type SnapshotAt } from "../rebuilt-session.js";
import { programUnder, StoredArtifacts } from "../stored-artifacts.js";
import { headFits, readSnapshot } from "../stored-state.js";
import { isDamage, isDeleted, loadedStream, recordsOf, streamsOf } from "../stored-streams.js";
import { checkWorkflowLog } from "../workflow-log.js";
import { StepJudge } from "./judge-step.js";
import { JudgedPrograms } from "./judged-program.js";
import { isOpen, type RecordedStep, stepOf } from "./recorded-step.js";
import { Skipped, type Why } from "./skipped.js";
import { RecordedSeat, type WorkflowHistory, workflowHistory } from "./workflow-history.js";

/** What a log is decided by. */
export interface ReplaySetting {
  readonly artifact: Artifact;
  /** By their digests. */
  readonly principals: ReadonlyMap<string, Json>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Null for all sessions. */
  readonly session: string | null;
}

/** What deciding a log again showed. */
export interface Replayed extends Report {
  /** How many verdicts and settlements were decided again. */
  readonly replayed: number;
  /** What was not, or not wholly, by reason. */
  readonly skipped: Readonly<Partial<Record<Why, number>>>;
}

/** Replays sessions one after the other. */
class Replay {
  private readonly problems = new Problems();
  private readonly skipped = new Skipped();
  private readonly programs = new Map<string | null, JudgedPrograms | null>();
  private readonly histories = new Map<string, Promise<WorkflowHistory>>();
  private readonly rules: WorkflowRules | null;
  private readonly artifacts: StoredArtifacts;
  /** The digests of all principals that verdicts were recorded for. */
  readonly principals = new Set<string>();
  private replayed = 0;
  private records = 0;

  constructor(
    private readonly store: DurableStore,
    private readonly setting: ReplaySetting,
  ) {
    this.rules = workflowRules(setting.artifact);
    this.artifacts = new StoredArtifacts(store);
  }

  async run(): Promise<Replayed> {
    const { session } = this.setting;
    let [sessions, workflows] = [0, 0];
    for await (const listed of sessionStreams(this.store, session)) {
      sessions += 1;
      await this.session(listed);
    }
    for await (const listed of session === null ? streamsOf(this.store, WORKFLOW_PREFIX) : []) {
      workflows += 1;
      await this.workflow(listed);
    }
    const { replayed, records } = this;
    return { ...this.problems.report({ records, sessions, workflows }), replayed, skipped: this.skipped.all };
  }

  /** There is nothing to decide in it, but what it leads to is what sessions are judged by. */
  private async workflow(listed: ListedStream): Promise<void> {
    const { stream } = listed;
    const chain = new Chain(workflowLog(stream), this.problems);
    await this.checked(chain, listed, async (loaded) => {
      const records = recordsOf(this.store, stream, loaded.revision);
      await checkWorkflowLog({ chain, loaded, artifacts: this.artifacts, seen: () => undefined }, records);
    });
  }

  private async session(listed: ListedStream): Promise<void> {
    const { stream } = listed;
    const chain = new Chain(sessionOf(stream), this.problems);
    await this.checked(chain, listed, (loaded) =>
      new SessionReplay(this, chain, loaded).run(recordsOf(this.store, stream, loaded.revision), () =>
        isDeleted(this.store, stream),
      ),
    );
  }

  private async checked(
    chain: Chain,
    listed: ListedStream,
    check: (loaded: LoadedStream) => Promise<void>,
  ): Promise<void> {
    try {
      const { loaded, damage } = await loadedStream(this.store, listed);
      await check(loaded);
      if (damage !== null) throw damage;
    } catch (cause) {
      if (!isDamage(cause)) throw cause;
      chain.report(chain.next, `is damaged: ${cause.message}`);
    }
    this.records += chain.end.count;
  }

  skip(why: Why, count = 1): void {
    this.skipped.add(why, count);
  }

  count(): void {
    this.replayed += 1;
  }

  /** The programs of a role; null if the artifact has no such role. */
  programsOf(role: string | null): JudgedPrograms | null {
    const known = this.programs.get(role);
    if (known !== undefined) return known;
    const { artifact, env, principals } = this.setting;
    const program = programUnder(artifact, role, env);
    const programs = program === null ? null : new JudgedPrograms(program, principals);
    this.programs.set(role, programs);
    return programs;
  }

  /** The seat of a session in its workflow; null without one. */
  async seatOf(id: string, { role, workflow }: { readonly role: string | null; readonly workflow: string | null }) {
    const { rules, store } = this;
    if (workflow === null || rules === null) return null;
    const records = recordsOf(store, workflowStream(workflow), Number.POSITIVE_INFINITY);
    const history = this.histories.get(workflow) ?? workflowHistory(records);
    this.histories.set(workflow, history);
    return new RecordedSeat(await history, rules, { id, role: role ?? "" });
  }

  isOwn(artifact: string): boolean {
    return artifact === this.setting.artifact.hash;
  }
}

/** Replays one session, append by append. */
class SessionReplay {
  private readonly rebuilt: RebuiltSession;
  private readonly snapshot: SnapshotAt | null;
  private append: { readonly id: string; readonly records: LogRecord[] } | null = null;
  private seat: RecordedSeat | null = null;

  constructor(
    private readonly replay: Replay,
    private readonly chain: Chain,
    private readonly loaded: LoadedStream,
  ) {
    this.snapshot = readSnapshot(loaded.snapshot);
    const programOf = (artifact: string, role: string | null) =>
      replay.isOwn(artifact) ? (replay.programsOf(role)?.whole ?? null) : null;
    this.rebuilt = new RebuiltSession(programOf, this.snapshot);
  }

  async run(
    records: AsyncIterable<{ readonly appendId: string; readonly data: string }>,
    isDeletedNow: () => Promise<boolean>,
  ): Promise<void> {
    const { chain, rebuilt, loaded } = this;
    let count = 0;
    for await (const { appendId, data } of records) {
      count += 1;
      const read = readRecord(data);
      if (read.record === null) {
        this.decide();
        chain.takeUnreadable(read.why);
        rebuilt.lose("broken");
      } else if (chain.take(read.record)) {
        if (this.append?.id !== appendId || hasNote(this.append.records.at(-1))) this.decide();
        this.append ??= { id: appendId, records: [] };
        this.append.records.push(read.record);
        if (count === 1) {
          rebuilt.before(read.record);
          this.seat = await this.replay.seatOf(chain.session, rebuilt);
        }
      }
    }
    this.decide();
    if (count < loaded.revision) {
      if (await isDeletedNow()) return;
      chain.report(chain.next, "is missing");
    }
    if (rebuilt.now.kind === "known" && !headFits(loaded.head, rebuilt, chain.lastArtifact)) {
      chain.report(chain.end.count, "is not what the head of the stream says");
    }
  }

  /** Decides the last append again, and applies it. */
  private decide(): void {
    const { records = [] } = this.append ?? {};
    this.append = null;
    const [first] = records;
    if (first === undefined) return;
    const known = this.rebuilt.before(first);
    if (known.kind === "unknown") this.replay.skip(known.why, records.length);
    else this.judge(records);
    for (const record of records) this.apply(record);
  }

  private judge(records: readonly LogRecord[]): void {
    const { chain, replay, rebuilt } = this;
    const step = stepOf(records.filter(isOpen));
    const programs = replay.programsOf(rebuilt.role);
    if (step === null || programs === null || rebuilt.now.kind === "unknown") return;
    const { principal } = step.note ?? {};
    if (principal !== undefined) replay.principals.add(principal);
    const session = stateFor(step, rebuilt.now);
    const { judgedAt } = step.note ?? {};
    const seat = judgedAt === undefined ? null : (this.seat?.at(judgedAt) ?? null);
    if (judgedAt !== undefined && seat === null) {
      replay.skip("workflow");
      return;
    }
    const judged = new StepJudge(chain.session, programs, session, seat).judge(step);
    switch (judged.kind) {
      case "none":
        return;
      case "skipped":
        replay.skip(judged.why);
        return;
      case "different":
        replay.count();
        chain.report(step.index, judged.what);
        return;
      case "same":
        replay.count();
        for (const why of judged.unjudged) replay.skip(why);
    }
  }

  private apply(record: LogRecord): void {
    const { rebuilt, chain, snapshot } = this;
    rebuilt.before(record);
    if (!rebuilt.apply(record)) chain.report(record.n, "cannot have happened after the records before it");
    const { now } = rebuilt;
    if (now.kind === "unknown" || snapshot === null || snapshot.revision !== record.n) return;
    // Whether an output satisfies a precondition is part of the state.
    if (unsetIn(now.program)) this.replay.skip("environment");
    else if (!isState(snapshot.snapshot.state, encodeSnapshot(now.session))) {
      chain.report(record.n, "has a snapshot with another state than its records lead to");
    }
  }
}

/** A decision ends with its note. What follows is another one, whatever id somebody gave its append: ids are in no hash. */
function hasNote(record: LogRecord | undefined): boolean {
  return record !== undefined && isOpen(record) && record.content.note !== null;
}

/** The state that a step was decided in: a kill that waited for the store held already. */
function stateFor({ kills }: RecordedStep, { program, session }: Known & { readonly kind: "known" }): Session {
  if (kills.length === 0) return session;
  const killed = copySession(session);
  for (const event of kills) advance(program, killed, event);
  return killed;
}

function unsetIn({ watches, env }: Program): boolean {
  return variablesIn(watches).some((name) => !env.has(name));
}

function isState(text: string, state: Json): boolean {
  try {
    return canonicalJson(JSON.parse(text)) === canonicalJson(state);
  } catch {
    return false;
  }
}

/** The log of a store, decided again by the real decisions, and the principals that its verdicts were recorded for. */
export async function replayStore(
  store: DurableStore,
  setting: ReplaySetting,
): Promise<{ readonly result: Replayed; readonly principals: ReadonlySet<string> }> {
  const replay = new Replay(store, setting);
  return { result: await replay.run(), principals: replay.principals };
}
