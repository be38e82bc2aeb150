import { canonicalJson } from "../../base/canonical-json.js";
import { decodeEvent, decodePage } from "./decode-event.js";
import type { SessionEvent } from "./event.js";
import type { LogEntry, LogPage, LogStep, SessionLog } from "./session-log.js";
import { answerOf, type EventPage, type SessionStore, type Wait } from "./store.js";
import { StoreUnavailable } from "./store-errors.js";

/** The events of one session in a store of the caller's, which keeps nothing else. */
export class EventLog implements SessionLog {
  readonly isDurable = false;
  private revision = 0;
  /** Settlements that were sent without an answer, by their events. */
  private readonly unanswered = new Map<string, string>();

  constructor(
    private readonly store: SessionStore,
    private readonly sessionId: string,
  ) {}

  /** Such a store keeps no times. */
  decided<T>(decide: () => T): { readonly made: T; readonly at: null } {
    return { made: decide(), at: null };
  }

  async load(from: "known" | "start", wait: Wait): Promise<LogPage> {
    const after = from === "start" ? 0 : this.revision;
    const { revision, events } = await this.page(after, wait);
    this.revision = revision;
    return { base: null, entries: events.map((event) => this.entry(event)) };
  }

  async append({ id, events, isSettlement }: LogStep, wait: Wait): Promise<boolean> {
    // Copies: the store must not change the events of the session.
    const copies = events.map(decodeEvent);
    const what = "the events could not be recorded";
    try {
      const answer = await answerOf(what, () => this.store.append(this.sessionId, this.revision, copies), wait);
      if (answer !== true && answer !== false) throw new StoreUnavailable(what);
      if (answer) this.revision += events.length;
      return answer;
    } catch (cause) {
      if (isSettlement) for (const event of events) this.unanswered.set(canonicalJson(event), id);
      throw cause;
    }
  }

  /** Such a store does not say when others write. */
  watch(): () => void {
    return () => undefined;
  }

  private async page(after: number, wait: Wait): Promise<EventPage> {
    const what = "the events could not be read";
    const answer = await answerOf(what, () => this.store.load(this.sessionId, after), wait);
    try {
      // All of them before any is applied.
      return decodePage(answer, after);
    } catch (cause) {
      throw new StoreUnavailable(what, { cause });
    }
  }

  private entry(event: SessionEvent): LogEntry {
    if (this.unanswered.size === 0) return { event, appendId: null };
    const text = canonicalJson(event);
    const appendId = this.unanswered.get(text) ?? null;
    this.unanswered.delete(text);
    return { event, appendId };
  }
}
