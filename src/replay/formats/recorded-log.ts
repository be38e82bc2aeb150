import { isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { BadEvent, decodeEvent } from "../../guard/session/decode-event.js";
import type { SessionEvent } from "../../guard/session/event.js";
import type { Outcome } from "../../guard/session/outcome.js";
import { type Beside, type TracedCall, type TracedSession, UnreadableTrace } from "../traced-session.js";

type OpenCall = { -readonly [K in keyof TracedCall]: TracedCall[K] };

/** Whether a line is a record of an export (`contracts audit export`), or what stands at its end. */
export function isRecord(line: JsonObject): boolean {
  if (isJsonObject(line.head)) return true;
  return typeof line.v === "number" && typeof line.n === "number" && typeof line.prev === "string";
}

function readEvent(event: JsonObject): SessionEvent {
  try {
    return decodeEvent(event);
  } catch (cause) {
    if (!(cause instanceof BadEvent)) throw cause;
    throw new UnreadableTrace(`the event of the record cannot be read: ${cause.message}`);
  }
}

function outcomeOf({ ending, output }: SessionEvent & { readonly kind: "settled" }): Outcome | undefined {
  switch (ending) {
    case "committed":
      return output === undefined ? { kind: "happened" } : { kind: "result", output };
    // The output was rejected, and is not kept.
    case "violated":
      return { kind: "happened" };
    case "released":
      return { kind: "did_not_happen" };
    case "indeterminate":
      return { kind: "timeout" };
  }
}

/** The records of one session, put together. */
class Records {
  readonly calls: OpenCall[] = [];
  private readonly byId = new Map<string, OpenCall>();
  private before: Beside[] = [];
  private last = 0;

  constructor(readonly session: string) {}

  add({ event, note, at, sealed, n }: JsonObject): void {
    if (n !== this.last + 1)
      throw new UnreadableTrace("the records of a session do not stand together, from the first on");
    this.last = n;
    if (sealed !== undefined) throw new UnreadableTrace("the records are sealed; export them with their key");
    const time = typeof at === "number" ? at : null;
    if (isJsonObject(event)) this.enter(readEvent(event), time, note);
  }

  private enter(event: SessionEvent, at: number | null, note: Json | undefined): void {
    switch (event.kind) {
      case "reserved":
        this.byId.set(event.callId, this.call(event.tool, event.args, at));
        return;
      case "blocked":
        this.refused(note, at);
        return;
      case "settled": {
        const call = this.byId.get(event.callId);
        if (call !== undefined) call.outcome = outcomeOf(event);
        return;
      }
      case "step_begun":
        this.before.push({ kind: "step" });
        return;
      case "label_added":
        this.before.push({ kind: "label", label: event.label });
        return;
      case "cost_recorded":
        this.before.push({ kind: "cost", usd: event.usd });
        return;
      default:
    }
  }

  private call(tool: string, args: Json, at: number | null): OpenCall {
    const call: OpenCall = { tool, args, outcome: undefined, before: this.before, at };
    this.before = [];
    this.calls.push(call);
    return call;
  }

  /** A refused call was never made: if it is allowed now, nothing is known of how it would have ended. */
  private refused(note: Json | undefined, at: number | null): void {
    const call = isJsonObject(note) && isJsonObject(note.call) ? note.call : null;
    if (call === null || typeof call.tool !== "string") return;
    const { outcome: _, ...refused } = this.call(call.tool, call.fields ?? {}, at);
    this.calls[this.calls.length - 1] = { ...refused, outcome: { kind: "did_not_happen" } };
  }
}

/** Puts the records of an export together, session by session. */
export class RecordedLog {
  private records: Records | null = null;

  /** The session before, if this line begins another one. */
  add(line: JsonObject): TracedSession | null {
    const { session, workflow, head } = line;
    if (isJsonObject(head)) return this.end();
    // What concerns several sessions has no calls of its own.
    if (typeof workflow === "string") return this.end();
    if (typeof session !== "string") throw new UnreadableTrace("the record does not name its session");
    const ended = session === this.records?.session ? null : this.end();
    this.records ??= new Records(session);
    this.records.add(line);
    return ended;
  }

  /** The last session. */
  end(): TracedSession | null {
    const { records } = this;
    this.records = null;
    if (records === null) return null;
    return { id: records.session, principal: null, labels: [], calls: records.calls };
  }
}
