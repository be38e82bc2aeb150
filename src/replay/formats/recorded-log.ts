import { isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { digestOf } from "../../guard/session/call-digest.js";
import { BadEvent, decodeEvent } from "../../guard/session/decode-event.js";
import type { SessionEvent } from "../../guard/session/event.js";
import {
  type Beside,
  type RecordedEnding,
  type TracedCall,
  type TracedSession,
  UnreadableTrace,
} from "../traced-session.js";

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

/** A call as it is stored. */
interface StoredCall {
  readonly tool: string;
  readonly args: Json;
  /** Of the tool and all arguments, of which a store may have only parts. */
  readonly digest?: string;
}

function refusalIn(note: Json | undefined): Json | undefined {
  return isJsonObject(note) && isJsonObject(note.verdict) ? note.verdict.reason : undefined;
}

/** The records of one session, put together. */
class Records {
  readonly calls: OpenCall[] = [];
  private readonly endings = new Map<string, RecordedEnding[]>();
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
        this.allowed(event, at);
        return;
      case "blocked":
        this.refused(note, at);
        return;
      case "settled":
        this.endings.get(event.callId)?.push(event);
        return;
      // Until somebody has found out what it means, it is an answer to nothing.
      case "late_result_acknowledged":
        this.endings.get(event.callId)?.push({ kind: "late_result", callId: event.callId }, event);
        return;
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

  private allowed(event: SessionEvent & { readonly kind: "reserved" }, at: number | null): void {
    const endings: RecordedEnding[] = [];
    this.endings.set(event.callId, endings);
    this.call(event, at).outcome = { kind: "recorded", endings };
  }

  private call({ tool, args, digest }: StoredCall, at: number | null): OpenCall {
    const isPartial = digest !== undefined && digestOf({ tool, args }) !== digest;
    const call: OpenCall = {
      tool,
      args,
      outcome: undefined,
      before: this.before,
      at,
      ...(isPartial ? { digest } : {}),
    };
    this.before = [];
    this.calls.push(call);
    return call;
  }

  /** A refused call was never made: if it is allowed now, nothing is known of how it would have ended. */
  private refused(note: Json | undefined, at: number | null): void {
    const call = isJsonObject(note) && isJsonObject(note.call) ? note.call : null;
    if (call === null || typeof call.tool !== "string") return;
    const { tool, fields, digest } = call;
    // Arguments that were no JSON are not stored; those of a tool without a contract are not either, and nobody judged them.
    const reason = refusalIn(note);
    const args = fields ?? (reason === "unmatched_tool" ? {} : null);
    const isJudged = typeof digest === "string" && fields !== undefined;
    const refused = this.call({ tool, args, ...(isJudged ? { digest } : {}) }, at);
    refused.outcome = { kind: "did_not_happen" };
    if (refused.digest !== undefined && reason === "schema_mismatch") refused.isMismatch = true;
  }

  traced(): TracedSession {
    return { id: this.session, principal: null, labels: [], calls: this.calls };
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
    return records.traced();
  }
}
