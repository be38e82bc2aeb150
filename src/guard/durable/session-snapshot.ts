import * as d from "../../base/decoder.js";
import { isJsonObject, type Json } from "../../base/json.js";
import { becauseIn } from "../decide/verdict.js";
import type { Program } from "../program/program.js";
import { shiftOpenCall } from "../session/advance.js";
import { CallKeys, type HeldKey } from "../session/call-keys.js";
import { Calls } from "../session/calls.js";
import { BadEvent } from "../session/decode-event.js";
import type { EndedApproval, PendingApproval } from "../session/pending-approval.js";
import {
  type AggregatePart,
  type AggregateState,
  countsStepCalls,
  type DeniedCall,
  newAggregate,
  type Session,
} from "../session/session.js";
import { BadRecord, RECORD_VERSION } from "./log-record.js";
import { callJson, DecodedCalls, deniedJson, historyJson, toolOf } from "./snapshot/calls.js";
import {
  type AggregateJson,
  type DecodedSession,
  type EndedJson,
  type HeldJson,
  type SessionJson,
  sessionForm,
  sumJson,
} from "./snapshot/form.js";
import { collectionsJson, decodeCollections } from "./snapshot/slots.js";
import { DecodedWrites, writesJson } from "./snapshot/writes.js";

function aggregateJson({ total, extreme, distinct, parts }: AggregateState): AggregateJson {
  const own = { total: sumJson(total), extreme, distinct: [...distinct] };
  return parts === null ? own : { ...own, parts: partsJson(parts) };
}

/** In the order of their keys, as the values of unsettled calls come and go. */
function partsJson(parts: ReadonlyMap<string, AggregatePart>): Json {
  const kept = [...parts.values()].filter(({ isKept }) => isKept);
  return kept.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ key, state }) => [key, { ...aggregateJson(state) }]);
}

function heldJson({ callId, digest, serial }: HeldKey): HeldJson {
  return { callId, digest, serial };
}

function endedJson({ end, callId, rule, ...words }: EndedApproval): EndedJson {
  return { end, callId, rule: rule === undefined ? null : { file: rule.file, line: rule.line }, ...becauseIn(words) };
}

/** A request is JSON already; only its type does not say so. */
function requestJson(request: PendingApproval): Json {
  return request as unknown as Json;
}

function pairsJson<V>(map: ReadonlyMap<string, V>, json: (value: V) => Json): Json {
  return Array.from(map, ([key, value]) => [key, json(value)]);
}

/** The state of a session as plain JSON, which shares arguments and values with the session. */
export function encodeSnapshot(session: Session): Json {
  const { isKilled, killedWhy, killedBy, phase, openSteps, ownSteps, sureOwnSteps, toolCalls } = session;
  const { blocksInRow, errorsInRow, approval, resumable, keys, issued, stepCalls } = session;
  const state: SessionJson = {
    ...{ isKilled, killedWhy, killedBy, phase, openSteps, ownSteps, sureOwnSteps, toolCalls },
    callsOf: [...session.callsOf],
    slots: writesJson(session.slots),
    ...collectionsJson(session),
    priors: historyJson(session),
    aggregates: session.aggregates.map(aggregateJson),
    references: session.references.map(writesJson),
    labels: [...session.labels],
    cost: sumJson(session.cost),
    unsettled: Array.from(session.unsettled, callJson),
    denied: pairsJson(session.denied, deniedJson),
    late: [...session.late],
    recent: [...session.recent],
    ...{ blocksInRow, errorsInRow, issued },
    ...(stepCalls === null ? {} : { stepCalls }),
    approval: approval === null ? null : requestJson(approval),
    answered: pairsJson(session.answered, endedJson),
    resumable: Array.from(resumable.values(), requestJson),
    keys: keys === null ? null : pairsJson(keys.kept(session), heldJson),
  };
  return state;
}

/** Reads the parts of a session that depend on its program. */
class Decoding {
  private readonly calls: DecodedCalls;

  constructor(
    private readonly program: Program,
    private readonly stored: DecodedSession,
  ) {
    this.calls = new DecodedCalls(program, stored.unsettled);
  }

  session(): Session {
    const { stored } = this;
    const writes = new DecodedWrites(this.program, this.calls.byId);
    const { isKilled, killedWhy, killedBy, openSteps, ownSteps, sureOwnSteps, toolCalls } = stored;
    const session: Session = {
      ...{ isKilled, killedWhy, killedBy, phase: this.phase(), openSteps, ownSteps, sureOwnSteps, toolCalls },
      stepCalls: this.stepCalls(),
      callsOf: this.callsOf(),
      slots: writes.slots(stored.slots),
      collections: decodeCollections(this.program, stored.collections ?? [], this.calls.byId),
      priors: this.calls.history(stored.priors),
      aggregates: this.aggregates(),
      references: writes.references(stored.references),
      labels: stored.labels,
      cost: stored.cost,
      unsettled: new Calls(),
      denied: this.denied(),
      late: this.late(),
      open: null,
      recent: [...stored.recent],
      ...{ blocksInRow: stored.blocksInRow, errorsInRow: stored.errorsInRow, approval: stored.approval },
      answered: this.answered(),
      resumable: this.resumable(),
      ...{ keys: stored.keys === null ? null : new CallKeys(stored.keys), issued: stored.issued },
    };
    // What unsettled calls may still change follows from them.
    for (const call of this.calls.byId.values()) {
      session.unsettled.add(call);
      shiftOpenCall(this.program, session, call, 1);
    }
    return session;
  }

  private phase(): string | null {
    const { phase } = this.stored;
    const { phases } = this.program.pack;
    if (phases === null ? phase === null : phase !== null && phases.names.includes(phase)) return phase;
    throw new BadRecord("its phase is none of the program");
  }

  private callsOf(): Session["callsOf"] {
    const { callsOf } = this.stored;
    for (const name of callsOf.keys()) {
      if (!toolOf(this.program, name).isCounted)
        throw new BadRecord("it counts the calls of a tool that nothing limits");
    }
    return callsOf;
  }

  private stepCalls(): Session["stepCalls"] {
    const { stepCalls = null } = this.stored;
    if ((stepCalls === null) === countsStepCalls(this.program)) {
      throw new BadRecord("its calls of a step are not counted as the program does");
    }
    return stepCalls;
  }

  private aggregates(): Session["aggregates"] {
    const { aggregates } = this.stored;
    if (aggregates.length !== this.program.aggregates.length) {
      throw new BadRecord("its aggregates are not those of the program");
    }
    return aggregates.map(({ parts, ...own }, index) => {
      if ((parts === undefined) !== (this.program.aggregates[index]?.per === undefined)) {
        throw new BadRecord("its aggregates are not counted as those of the program");
      }
      const state = { ...newAggregate(parts !== undefined), ...own };
      for (const [key, part] of parts ?? []) {
        state.parts?.set(key, { key, state: { ...newAggregate(false), ...part }, isKept: true, open: 0 });
      }
      return state;
    });
  }

  private denied(): Session["denied"] {
    const decoded = new Map<string, DeniedCall>();
    for (const [id, { tool, args, step }] of this.stored.denied) {
      decoded.set(id, { tool: toolOf(this.program, tool), args, step });
    }
    return decoded;
  }

  private late(): Session["late"] {
    const { late: results, denied } = this.stored;
    for (const id of results) if (!denied.has(id)) throw new BadRecord("a late result is not that of a denied call");
    return results;
  }

  private answered(): Session["answered"] {
    const decoded = new Map<string, EndedApproval>();
    for (const [id, { rule, ...ended }] of this.stored.answered) {
      decoded.set(id, rule === null ? ended : { ...ended, rule });
    }
    return decoded;
  }

  private resumable(): Session["resumable"] {
    const { resumable } = this.stored;
    const byId = new Map(resumable.map((request) => [request.id, request]));
    if (byId.size !== resumable.length) throw new BadRecord("two requests have one id");
    return byId;
  }
}

/** What is wrong, without showing it: the names of fields that are not known may be anything. */
function asBadRecord(cause: unknown): unknown {
  if (cause instanceof BadEvent) return new BadRecord(`a request for an approval cannot be read: ${cause.message}`);
  if (!(cause instanceof d.DecodeFailure)) return cause;
  return new BadRecord(cause.expected === d.UNKNOWN_FIELD ? "it has an unknown field" : cause.message);
}

function checked<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw asBadRecord(cause);
  }
}

const frame = d.object({
  v: d.count,
  session: d.string,
  hash: d.string,
  artifact: d.string,
  role: d.nullable(d.string),
  state: d.string,
});

function parsed(data: string): Json {
  try {
    return JSON.parse(data) as Json;
  } catch {
    throw new BadRecord("it is not JSON");
  }
}

/** The session of a state that was opened and parsed. */
export function decodeSession(program: Program, state: unknown): Session {
  return checked(() => new Decoding(program, sessionForm(state, "state")).session());
}

/** A snapshot whose state was not read yet: it may be sealed. */
export interface Snapshot {
  /** So that the snapshot of one session cannot be passed off as that of another. */
  readonly session: string;
  /** Of the record that it was written with. */
  readonly hash: string;
  readonly artifact: string;
  readonly role: string | null;
  /** The JSON of the state, or the same sealed. */
  readonly state: string;
  /** The session of a state that was opened and parsed. */
  decode(program: Program, state: unknown): Session;
}

/** Reads the text of a snapshot. */
export function decodeSnapshot(data: string): Snapshot {
  const value = parsed(data);
  const v = isJsonObject(value) ? value.v : undefined;
  if (typeof v === "number" && v > RECORD_VERSION) {
    throw new BadRecord(`its version ${v} is later than ${RECORD_VERSION}, the latest known one`);
  }
  const { session, hash, artifact, role, state } = checked(() => frame(value, "snapshot"));
  return {
    ...{ session, hash, artifact, role, state },
    decode: decodeSession,
  };
}
