import type { JsonObject } from "../../src/base/json.js";
import type { SessionEvent } from "../../src/guard/session/event.js";
import { AT_DISPATCH, BOUNDS, GATING_LABEL } from "./pack.js";
import type { Intent } from "./registry.js";
import { must } from "./violation.js";

/** What became of a call, as the log has it. */
type Status = "open" | "indeterminate" | "counted" | "released" | "denied";

export interface Booked {
  readonly callId: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly ref: string;
  status: Status;
  /** It counts as soon as it is sent, whatever becomes of it. */
  readonly isAtDispatch: boolean;
  /** Its caller was never told of it. */
  isUnanswered: boolean;
  /** Counted after all, whatever bound that exceeds. */
  isAcknowledged: boolean;
}

const MONEY: ReadonlySet<string> = new Set(["pay", "wire"]);

function amountOf({ args }: Booked): number {
  return typeof args.amount === "number" ? args.amount : 0;
}

/** A second, simple account of a session, kept from its events alone: which calls count, and what they add up to. */
export class Books {
  readonly calls = new Map<string, Booked>();
  readonly byRef = new Map<string, Booked[]>();
  readonly labels = new Set<string>();
  readonly late = new Set<string>();
  isKilled = false;
  private cost = 0;

  constructor(private readonly isEnforced: boolean) {}

  /** What an unsettled call may have done counts like what happened. */
  counts({ status }: Booked): boolean {
    return status === "open" || status === "indeterminate" || status === "counted";
  }

  /** Enters an event; returns the call that it changed. */
  enter(event: SessionEvent, intent: Intent | undefined): Booked | null {
    switch (event.kind) {
      case "reserved":
        return this.reserve(event, intent);
      case "settled":
        return this.settle(event);
      case "unanswered":
        this.at(event.callId).isUnanswered = true;
        return this.at(event.callId);
      case "late_result":
        this.late.add(event.callId);
        return this.at(event.callId);
      case "late_result_acknowledged":
        return this.acknowledge(event);
      case "killed":
        this.isKilled = true;
        return null;
      case "label_added":
        this.labels.add(event.label);
        return null;
      case "cost_recorded":
        this.cost += event.usd;
        return null;
      default:
        return null;
    }
  }

  private acknowledge({ callId, happened }: SessionEvent & { readonly kind: "late_result_acknowledged" }): Booked {
    const call = this.at(callId);
    this.late.delete(callId);
    call.status = happened ? "counted" : "released";
    call.isAcknowledged = happened;
    return call;
  }

  private at(callId: string): Booked {
    const call = this.calls.get(callId);
    must(call !== undefined, "no reservation lost", () => `the log speaks of ${callId}, which was never reserved`);
    return call as Booked;
  }

  private reserve(event: SessionEvent & { readonly kind: "reserved" }, intent: Intent | undefined): Booked {
    const { callId, tool } = event;
    must(!this.calls.has(callId), "ids are never used twice", () => callId);
    must(intent !== undefined && intent.tool === tool, "only proposed calls are reserved", () => `${callId} ${tool}`);
    if (this.isEnforced) {
      must(!this.isKilled, "a kill is final", () => `${callId} was reserved after it`);
      must(this.late.size === 0, "a late result blocks", () => `${callId} was reserved before it was acknowledged`);
      must(tool !== "wire" || !this.labels.has(GATING_LABEL), "labels act at once", () => `${callId} was reserved`);
      must(this.cost < BOUNDS.cost, "no bound exceeded", () => `${callId} was reserved at a cost of ${this.cost}`);
    }
    const { args, ref } = intent as Intent;
    const isAtDispatch = AT_DISPATCH.has(tool);
    const call: Booked = {
      ...{ callId, tool, args, ref, isAtDispatch },
      ...{ status: isAtDispatch ? "counted" : "open", isUnanswered: false, isAcknowledged: false },
    };
    this.calls.set(callId, call);
    this.byRef.set(ref, [...(this.byRef.get(ref) ?? []), call]);
    if (this.isEnforced) this.checkBounds();
    return call;
  }

  private settle({ callId, ending, isDenied }: SessionEvent & { readonly kind: "settled" }): Booked {
    const call = this.at(callId);
    const { isAtDispatch } = call;
    must(
      isAtDispatch || call.status === "open" || (call.status === "indeterminate" && ending !== "indeterminate"),
      "a call is settled once",
      () => `${callId} was ${call.status} and became ${ending}`,
    );
    if (isAtDispatch) return call;
    if (ending === "indeterminate") call.status = "indeterminate";
    else if (ending === "released") call.status = isDenied === true ? "denied" : "released";
    else call.status = "counted";
    return call;
  }

  /** In the world where everything that may have happened did. */
  private checkBounds(): void {
    let paid = 0;
    let payments = 0;
    let wires = 0;
    let all = 0;
    const payees = new Set<unknown>();
    for (const call of this.calls.values()) {
      // What an operator counted later may exceed what was checked before.
      if (!this.counts(call) || call.isAcknowledged) continue;
      all += 1;
      if (MONEY.has(call.tool)) {
        paid += amountOf(call);
        must(amountOf(call) <= BOUNDS.largest, "no bound exceeded", () => `largest: ${amountOf(call)}`);
      }
      if (call.tool === "pay") {
        payments += 1;
        payees.add(call.args.to);
      }
      if (call.tool === "wire") wires += 1;
    }
    const values = { paid, payments, wires, payees: payees.size, toolCalls: all };
    for (const [name, value] of Object.entries(values)) {
      const bound = BOUNDS[name as keyof typeof values];
      must(value <= bound, "no bound exceeded", () => `${name} is ${value}, above ${bound}`);
    }
  }
}
