import { coalesced } from "../../guard/approvals/coalesced.js";
import type { WorkflowEvent } from "../state/workflow-event.js";
import type { WorkflowState } from "../state/workflow-state.js";

/** Somebody who wants to know when a session ends, or is asked to. */
interface Watcher {
  readonly session: string;
  /** What was known when it was told last. */
  seen: string;
  readonly listener: () => void;
  /** It waits for what others record too. */
  readonly follows: boolean;
}

const FINAL: ReadonlySet<string> = new Set(["closed", "killed", "workflow_killed"]);

function statusOf({ isKilled, sessions }: WorkflowState, session: string): string {
  return isKilled ? "workflow_killed" : (sessions.get(session)?.status ?? "unknown");
}

/** Whether an event ends sessions or asks them to end. Calls and steps, of which there are most, need not be told. */
export function isEnding(event: WorkflowEvent): boolean {
  switch (event.kind) {
    case "closed":
    case "killed":
      return true;
    case "progressed":
      return event.killed !== undefined;
    case "started":
    case "kill_refused":
      return false;
  }
}

/** Tells those who wait for something in a session when that session ends, or is asked to. */
export class StatusWatch {
  private readonly watchers = new Set<Watcher>();
  private following = 0;
  private stop: (() => void) | null = null;
  private readonly looks: () => void;
  private readonly unused = new FinalizationRegistry<() => void>((stop) => stop());

  /** `follow` announces that others have recorded something; `look` reads it. */
  constructor(
    private readonly follow: (listener: () => void) => () => void,
    look: () => Promise<unknown>,
  ) {
    // Whoever waits reads the log from time to time too; a failure is noticed with the next decision.
    this.looks = coalesced(async () => {
      await look().catch((cause: unknown) => cause);
    });
  }

  /**
   * Calls the listener as soon as this process learns of it, for the last time when the session has ended; never if it has ended
   * already. It is forgotten before that when nobody uses the object any more that it is for.
   */
  add(
    state: WorkflowState,
    {
      session,
      listener,
      usedBy,
    }: { readonly session: string; readonly listener: () => void; readonly usedBy: object | undefined },
  ): void {
    const seen = statusOf(state, session);
    if (FINAL.has(seen)) return;
    const stop = this.watching({ session, seen, listener, follows: false });
    if (usedBy !== undefined) this.unused.register(usedBy, stop);
  }

  /** The same until it is ended by the function that it returns, and what others record is read as soon as the store tells of it. */
  addFollowing(state: WorkflowState, session: string, listener: () => void): () => void {
    this.stop ??= this.follow(this.looks);
    this.following += 1;
    return this.watching({ session, seen: statusOf(state, session), listener, follows: true });
  }

  private watching(watcher: Watcher): () => void {
    this.watchers.add(watcher);
    return () => {
      if (!this.watchers.delete(watcher) || !watcher.follows) return;
      this.following -= 1;
      if (this.following > 0) return;
      this.stop?.();
      this.stop = null;
    };
  }

  /** The state is another one now. */
  tell(state: WorkflowState): void {
    for (const watcher of this.watchers) {
      const status = statusOf(state, watcher.session);
      if (status === watcher.seen) continue;
      watcher.seen = status;
      // Nothing more will change; only who waits tells itself when it waits no longer.
      if (FINAL.has(status) && !watcher.follows) this.watchers.delete(watcher);
      watcher.listener();
    }
  }
}
