import { randomUUID } from "node:crypto";
import { packName } from "../../artifact/pack-name.js";
import type { JsonObject } from "../../base/json.js";
import { DurableLog } from "../../guard/durable/durable-log.js";
import { neededFields } from "../../guard/durable/needed-fields.js";
import type { Note } from "../../guard/durable/note.js";
import { Recording } from "../../guard/durable/recording.js";
import type { EncodedStep } from "../../guard/durable/stream-form.js";
import { SessionGuard } from "../../guard/guard.js";
import type { Guard } from "../../guard/guard-api.js";
import { prepareGuard } from "../../guard/guard-parts.js";
import { ledgerTimes } from "../../guard/ledger-times.js";
import type { ResolvedOptions } from "../../guard/resolved-options.js";
import { Ledger } from "../../guard/session/ledger.js";
import { newSession } from "../../guard/session/session.js";
import type { Wait } from "../../guard/session/store.js";
import { resolveLeftBehind } from "../../guard/unsettled-calls.js";
import { USUAL } from "../log/persistence.js";
import { WorkflowSeat } from "../log/workflow-seat.js";
import type { RoleRules } from "../rules/workflow-rules.js";
import type { SessionOptions } from "./workflow-api.js";
import type { WorkflowParts } from "./workflow-parts.js";

/** The handoff that a session began with, as its first record has it; a root has no parent. */
export interface Origin {
  readonly parent: string | null;
  readonly artifacts: JsonObject;
}

/** A session of a workflow before its first record, or before it was read. */
export class SeatedSession {
  readonly id: string;
  readonly origin: Origin;
  private readonly prepared: ReturnType<typeof prepareGuard>;
  private readonly log: DurableLog;
  private readonly seat: WorkflowSeat;

  constructor(
    private readonly parts: WorkflowParts,
    readonly role: RoleRules,
    { options: given, origin }: { readonly options: SessionOptions; readonly origin: Origin },
  ) {
    this.origin = origin;
    const { artifact, options, coordinator, rules, clock, sealing } = parts;
    const { store, workflowId: _, ...common } = options;
    const shared = Object.fromEntries(Object.entries(common).filter(([, value]) => value !== undefined));
    this.prepared = prepareGuard(artifact, { ...shared, sessionId: randomUUID(), ...given }, { role: role.name });
    const { program, options: resolved } = this.prepared;
    const { sessionId, guardId } = resolved;
    this.id = sessionId;
    this.seat = new WorkflowSeat({ coordinator, rules, role, program, sessionId });
    this.log = new DurableLog({
      ...{ store, program, sessionId, role: role.name, guardId, clock, sealing },
      workflow: coordinator.identity.id,
      companion: this.seat,
    });
  }

  get mode(): ResolvedOptions["mode"] {
    return this.prepared.options.mode;
  }

  /** The first record of the session, to be written together with its start. */
  firstRecord(wait: Wait): Promise<EncodedStep> {
    const { parent, artifacts } = this.origin;
    const { program, options } = this.prepared;
    const { mode, requester } = options;
    const opened: NonNullable<Note["opened"]> = {
      ...{ session: this.id, agent: packName(program.pack), role: this.role.name, mode },
      ...(requester === null ? {} : { requester }),
      workflow: this.parts.coordinator.identity.id,
      ...(parent === null ? {} : { parent, artifacts }),
    };
    const step = { id: randomUUID(), events: [], note: { opened }, after: newSession(program), isSettlement: false };
    return this.log.encoded(step, wait);
  }

  /** It was written. */
  began(first: EncodedStep): void {
    this.log.recorded(first);
  }

  /** The guard of the session, which is read first unless it has just begun. */
  async guard(): Promise<Guard> {
    const { clock, options: common } = this.parts;
    const { program, options, given } = this.prepared;
    const { sessionId, principal, mode, unmatched } = options;
    const times = { ...ledgerTimes(given), mostAttempts: USUAL.mostAttempts };
    const ledger = new Ledger(program, { log: this.log, ...times });
    if (this.log.isEmpty) await ledger.open();
    const needed = common.storeArguments === "all" ? null : neededFields(program);
    const recording = new Recording({ sessionId, principal, clock, needed, mode, unmatched });
    const guard = new SessionGuard(program, ledger, { ...options, clock, recording, seat: this.seat });
    const { resolver } = given;
    if (resolver === undefined) return guard;
    const settle = guard.settle.bind(guard);
    const { settleTimeoutMs: timeoutMs } = times;
    await resolveLeftBehind({ sessionId, session: ledger.session, clock, resolver, timeoutMs, settle });
    return guard;
  }
}
