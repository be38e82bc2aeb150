import { isJsonObject } from "../../../src/base/json.js";
import { decodeRecord } from "../../../src/guard/durable/log-record.js";
import type { StreamWrite } from "../../../src/guard/durable-store.js";
import type { Ending, SessionEvent } from "../../../src/guard/session/event.js";
import { currentStep, type End, type Event } from "../../differential/reference/history.js";
import type { ClosePolicy, Happening, WorkflowPack } from "../../workflow-reference/reference/model.js";
import { View } from "../../workflow-reference/reference/view.js";
import type { Coverage } from "../coverage.js";
import { must } from "../violation.js";
import { happeningsIn } from "./coordinator-records.js";

const SESSION = "session/";
const WORKFLOW = "workflow/";

function endOf(ending: Ending, isDenied: boolean): End {
  switch (ending) {
    case "committed":
      return { kind: "committed", output: { kind: "none" } };
    case "violated":
      return { kind: "violated", by: { reason: "output_invariant_failed" } };
    case "released":
      return { kind: "released", proof: isDenied ? "word" : "outcome" };
    case "indeterminate":
      return { kind: "indeterminate" };
  }
}

/** What the reference calls the event of a session; null where workflows do not care. */
function eventOf(event: SessionEvent, before: readonly Event[]): Event | null {
  switch (event.kind) {
    case "reserved": {
      const { callId, tool, args } = event;
      const call = { tool, args: isJsonObject(args) ? args : {} };
      return { kind: "allowed", callId, call, step: currentStep(before), key: null };
    }
    case "settled":
      return { kind: "settled", callId: event.callId, end: endOf(event.ending, event.isDenied === true) };
    case "late_result_acknowledged":
      return { kind: "acknowledged", callId: event.callId, happened: event.happened };
    case "step_begun":
      return { kind: "step" };
    case "cost_recorded":
      return { kind: "cost", usd: event.usd };
    default:
      return null;
  }
}

/**
 * Sees every append at the moment it is recorded, and knows from that alone, by the rules of the reference, who holds what,
 * what is counted, and who may go on.
 */
export class Account {
  readonly view: View;
  private readonly history: Happening[] = [];
  private readonly events = new Map<string, Event[]>();
  private readonly revisions = new Map<string, number>();
  private isChanged = false;

  constructor(
    private readonly pack: WorkflowPack,
    private readonly coverage: Coverage,
  ) {
    this.view = new View(pack, this.history, (session) => this.events.get(session) ?? []);
  }

  /** An append was recorded; the same one may be told of twice. */
  recorded(write: StreamWrite): void {
    const { stream, expectedRevision, records } = write;
    const revision = this.revisions.get(stream) ?? 0;
    if (expectedRevision < revision) return;
    must(expectedRevision === revision, "an append has its place", () => `${stream} ${expectedRevision} ${revision}`);
    this.revisions.set(stream, revision + records.length);
    this.isChanged = true;
    if (stream.startsWith(SESSION)) this.enterSession(stream.slice(SESSION.length), records);
    else if (stream.startsWith(WORKFLOW)) for (const text of records) this.enterWorkflow(text);
  }

  /** Whether something was recorded since the last time; then everything must hold. */
  check(): boolean {
    if (!this.isChanged) return false;
    this.isChanged = false;
    const { resources, openHandoffs, totals } = this.view.state();
    const holders = new Map<string, string>();
    for (const { alias, key, session } of resources) {
      const name = `${alias} ${String(key)}`;
      const other = holders.get(name);
      must(other === undefined, "at no instant two holders", () => `${name}: ${other} and ${session}`);
      holders.set(name, session);
    }
    const { workflow_limits: limits = {} } = this.pack.workflow;
    const { max_sessions, max_active_sessions, max_open_handoffs, max_total_steps } = limits;
    const within = (what: string, count: number, most: number | undefined) =>
      must(most === undefined || count <= most, "no limit exceeded", () => `${what}: ${count} of ${most}`);
    within("sessions", totals.sessions, max_sessions);
    within("active sessions", totals.active, max_active_sessions);
    within("open handoffs", openHandoffs, max_open_handoffs);
    within("steps", totals.steps, max_total_steps);
    return true;
  }

  private enterSession(session: string, records: readonly string[]): void {
    const events = this.events.get(session) ?? [];
    this.events.set(session, events);
    for (const text of records) {
      const { content } = decodeRecord(text);
      const event = "sealed" in content ? null : content.event;
      if (event === null) continue;
      this.coverage.hit("event", event.kind);
      if (event.kind === "reserved" || event.kind === "step_begun") this.checkGoing(session, event.kind);
      const known = eventOf(event, events);
      if (known !== null) events.push(known);
    }
  }

  /** Whatever ended a session comes before its next call and its next step. */
  private checkGoing(session: string, what: string): void {
    const ended = this.view.ended(session);
    must(ended === null, "nothing begins in a session that has ended", () => `${what} in ${session}: ${ended}`);
  }

  private enterWorkflow(text: string): void {
    for (const happening of happeningsIn(text, (parent, role) => this.policyOf(parent, role))) {
      this.coverage.hit("happening", happening.kind);
      this.history.push(happening);
    }
  }

  private policyOf(parent: string, role: string): ClosePolicy {
    const { handoffs = [], parent_close_policy: policy } = this.pack.workflow;
    const from = this.view.session(parent).role;
    const declared = handoffs.find((handoff) => handoff.from === from && handoff.to === role);
    must(declared !== undefined, "handoffs are declared", () => `${from} to ${role}`);
    return declared?.parent_close_policy ?? policy?.default ?? "request_cancel";
  }
}
