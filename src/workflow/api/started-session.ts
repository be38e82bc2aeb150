import { type Block, block } from "../../guard/decide/verdict.js";
import type { Note } from "../../guard/durable/note.js";
import { keepArtifact } from "../../guard/durable/open-session.js";
import { sessionStream } from "../../guard/durable/streams.js";
import { answerOf, type Wait } from "../../guard/session/store.js";
import { isStoreUnavailable, StoreUnavailable } from "../../guard/session/store-errors.js";
import type { WorkflowStep } from "../log/coordinator.js";
import { admission } from "../rules/admission.js";
import { handoffRefusal } from "../rules/handoff-refusal.js";
import { startRefusal } from "../rules/start-refusal.js";
import type { RoleRules } from "../rules/workflow-rules.js";
import type { WorkflowState } from "../state/workflow-state.js";
import { type CopiedArtifacts, copiedArtifacts } from "./handoff-artifacts.js";
import { memberOf } from "./member-of.js";
import { SeatedSession } from "./seated-session.js";
import type { SessionOptions } from "./workflow-api.js";
import type { WorkflowParts } from "./workflow-parts.js";
import { unlessChanged, workflowRefused } from "./workflow-refused.js";

/** Who hands off, and what it brings. */
export interface From {
  readonly parent: string;
  /** Whether it was killed as far as its guard knows: a kill acts there before it is recorded. */
  isKilled(): boolean;
  readonly artifacts: unknown;
}

const ROOT = { parent: null, artifacts: {} };

/** A session that may start, unless a rule of the workflow or another session of its id prevents it. */
class Starting {
  private attempts = 0;

  constructor(
    private readonly parts: WorkflowParts,
    private readonly session: SeatedSession,
    /** What a handoff brings; null for a root. */
    private readonly artifacts: CopiedArtifacts | null,
    private readonly isParentKilled: () => boolean,
  ) {}

  /** One attempt to decide; `null` in its result means that nothing refuses the start. */
  async decide(state: WorkflowState, wait: Wait): Promise<WorkflowStep<Block | null>> {
    const { id, role } = this.session;
    this.attempts += 1;
    const judged = this.refusal(state);
    const isObserved = judged !== null && this.isOnlyObserved(judged);
    const refused = (isObserved ? null : judged) ?? (await this.existing(state, wait));
    if (refused !== null) return { events: [], result: refused };
    const first = await this.session.firstRecord(wait);
    const { parent } = this.session.origin;
    const would = isObserved && this.session.mode === "shadow" ? judged : null;
    return {
      events: [{ kind: "started", session: id, role: role.name, parent }],
      result: null,
      ...(would === null ? {} : { note: wouldNote(would) }),
      beside: { write: first.write, recorded: (id) => this.session.began({ ...first, id }) },
    };
  }

  private refusal(state: WorkflowState): Block | null {
    const { rules } = this.parts;
    const { role } = this.session;
    const { artifacts } = this;
    if (artifacts === null) return startRefusal(rules, state, role);
    const from = memberOf(state, this.session.origin.parent);
    if (this.isParentKilled() && admission(rules, state, from) === null) {
      return block("session_killed", null, "a session that has not ended", "it was killed by its guard");
    }
    return handoffRefusal(rules, state, { from, to: role, artifacts });
  }

  /** Limits refuse no session that starts in another mode than enforce. */
  private isOnlyObserved({ reason }: Block): boolean {
    return this.session.mode !== "enforce" && reason === "workflow_limit_exceeded";
  }

  /** Another session of the id: of this workflow, or one that a conflict may have been about. */
  private async existing({ sessions }: WorkflowState, wait: Wait): Promise<Block | null> {
    const { id } = this.session;
    const isKnown = sessions.has(id) || (this.attempts > 1 && (await this.isStored(wait)));
    return isKnown ? block("session_exists", null, "an id that no session of the store has", "one that has it") : null;
  }

  private async isStored(wait: Wait): Promise<boolean> {
    const { store } = this.parts.options;
    const stream = sessionStream(this.session.id);
    const listed = await answerOf(
      "the session could not be read",
      () => store.list({ prefix: stream, limit: 1 }),
      wait,
    );
    const [found]: readonly { readonly stream?: unknown }[] = Array.isArray(listed) ? listed : [];
    return found?.stream === stream;
  }
}

/** What enforce mode would have said to a start, in the form of verdicts on calls. */
function wouldNote(refused: Block): Note {
  const { reason, at } = refused;
  const rule = at === null ? {} : { rule: { file: at.file, line: at.line } };
  return { mode: "shadow", verdict: { kind: "allow", would: { kind: "block", reason, ...rule } } };
}

/** Records the start of a session, as a root or by a handoff. */
export async function startSession(
  parts: WorkflowParts,
  role: RoleRules,
  { options, from }: { readonly options: SessionOptions; readonly from: From | null },
): Promise<SeatedSession> {
  // Before anything is awaited: later changes of the caller to its objects must not change what is recorded.
  const artifacts = from === null ? null : copiedArtifacts(from.artifacts);
  const origin = from === null ? ROOT : { parent: from.parent, artifacts: artifacts?.value ?? {} };
  const session = new SeatedSession(parts, role, { options, origin });
  const { artifact, coordinator, storeTimeoutMs } = parts;
  const what = from === null ? `a start of \`${role.name}\`` : `a handoff to \`${role.name}\``;
  await keepArtifact(parts.options.store, artifact, storeTimeoutMs);
  const starting = new Starting(parts, session, artifacts, () => from?.isKilled() ?? false);
  const refused = await recorded(what, session.id, () =>
    coordinator.transact((state, wait) => starting.decide(state, wait)),
  );
  if (refused !== null) throw workflowRefused(what, refused);
  return session;
}

/** Whether it was recorded may be unknown: then whoever asked is told where to look. */
async function recorded<T>(what: string, id: string, work: () => Promise<T>): Promise<T> {
  try {
    return await unlessChanged(what, work);
  } catch (cause) {
    if (!isStoreUnavailable(cause)) throw cause;
    throw new StoreUnavailable(
      `${what} could not be recorded for certain; if \`state()\` lists the session \`${id}\`, \`attach\` it or kill it`,
      { reason: cause.reason },
    );
  }
}
