import { plainVisibility } from "../differential/answers.js";
import type { Mode, Settlement } from "../differential/reference/model.js";
import type { ReferenceGuard } from "../differential/reference-guard.js";
import { type Glance, type Operation, type Side, SKIPPED, sessionOf } from "./operation.js";
import { PRINCIPAL } from "./principal.js";
import type { Answered, WorkflowPack, WorkflowState } from "./reference/model.js";
import { ReferenceWorkflow, type SessionOptions } from "./reference-workflow.js";
import { wordOfSettlement, wordOfVerdict } from "./words.js";

type Of<K extends Operation["op"]> = Operation & { readonly op: K };

interface Named {
  readonly session: string;
  readonly callId: string;
  readonly approvalId: string | undefined;
  /** Whether it may be sent, so that there is something to settle. */
  isAllowed: boolean;
}

const BY = { by: "ann", why: "seen" };

/** Plays operations on the reference; sessions in different processes have guards of their own. */
export class ReferenceSide implements Side {
  readonly workflow: ReferenceWorkflow;
  readonly calls = new Map<string, Named>();
  private readonly guards = new Map<string, ReferenceGuard>();
  private readonly options = new Map<string, SessionOptions>();
  private now = 1_700_000_000_000;

  constructor(pack: WorkflowPack, others: ReadonlySet<string> = new Set()) {
    this.workflow = new ReferenceWorkflow(pack, others);
  }

  async perform(operation: Operation): Promise<string> {
    return this.answer(operation);
  }

  async state(): Promise<WorkflowState> {
    return this.workflow.state();
  }

  async glance(operation: Operation): Promise<Glance | null> {
    return this.shown(operation);
  }

  /** The same at once. */
  shown(operation: Operation): Glance | null {
    const session = sessionOf(operation, this.calls);
    if (session === undefined || !this.options.has(session)) return null;
    const guard = this.guardIn(operation.process ?? 0, session);
    const refusal = operation.op === "propose" ? guard.refusal(operation.tool, operation.args ?? {}) : null;
    return { tools: plainVisibility(guard.visibleTools()), refusal };
  }

  /** Two sides of one workflow with the same answer the same for ever. */
  fingerprint(): string {
    const guards = Array.from(this.guards, ([place, { self }]) => `${place} ${self}`);
    return JSON.stringify([this.workflow.whole(), [...this.calls].sort(), guards.sort()]);
  }

  modeOf(session: string): Mode | undefined {
    return this.options.get(session)?.mode;
  }

  /** The calls of a session that are not settled. */
  openIn(session: string): readonly string[] {
    if (!this.options.has(session)) return [];
    return this.workflow.unsettledIn(session);
  }

  /** The same at once. */
  answer(operation: Operation): string {
    try {
      return this.done(operation);
    } catch (cause) {
      if (cause instanceof TypeError) return "TypeError";
      throw cause;
    } finally {
      this.workflow.noteKills();
    }
  }

  private done(operation: Operation): string {
    const { process = 0 } = operation;
    switch (operation.op) {
      case "start":
        return this.begun(operation, (options) => this.workflow.start({ ...options, role: operation.role }));
      case "handoff": {
        const { role, from, artifacts } = operation;
        if (!this.options.has(from)) return SKIPPED;
        return this.begun(operation, (options) => this.workflow.handoff({ ...options, role, from, artifacts }));
      }
      case "attach":
        this.attach(process, operation.session);
        return "allow";
      case "close":
        if (!this.options.has(operation.session)) return SKIPPED;
        return wordOfVerdict(this.workflow.close(operation.session));
      case "kill":
        return wordOfVerdict(this.workflow.kill(operation));
      case "crash":
        for (const key of [...this.guards.keys()]) if (key.startsWith(`${process} `)) this.guards.delete(key);
        return "allow";
      case "wait":
        this.now += operation.seconds * 1000;
        return "allow";
      case "propose":
      case "beginStep":
      case "recordCost":
      case "killGuard":
        return this.inSession(operation);
      default:
        return this.aboutCall(operation);
    }
  }

  private begun(
    { session, mode = "enforce", approver, process = 0 }: Of<"start" | "handoff">,
    begin: (options: { sessionId: string; options: SessionOptions }) => Answered,
  ): string {
    const clock = { now: () => this.now };
    const common = { principal: PRINCIPAL, env: {}, unmatched: "block" } as const;
    const options: SessionOptions = { ...common, mode, approver: approver ?? null, clock };
    const answer = begin({ sessionId: session, options });
    if (answer.kind === "allow") {
      this.options.set(session, options);
      this.attach(process, session);
    }
    return wordOfVerdict(answer);
  }

  private attach(process: number, session: string): ReferenceGuard {
    const options = this.options.get(session);
    if (options === undefined) throw new TypeError("no such session");
    const guard = this.workflow.attach(session, options);
    this.guards.set(`${process} ${session}`, guard);
    return guard;
  }

  private guardIn(process: number, session: string): ReferenceGuard {
    return this.guards.get(`${process} ${session}`) ?? this.attach(process, session);
  }

  private inSession(operation: Of<"propose" | "beginStep" | "recordCost" | "killGuard">): string {
    const { process = 0, session } = operation;
    if (!this.options.has(session)) return SKIPPED;
    const guard = this.guardIn(process, session);
    switch (operation.op) {
      case "propose": {
        const { tool, args = {}, call, callKey } = operation;
        const verdict = guard.propose({ tool, args, ...(callKey === undefined ? {} : { callKey }) });
        if (verdict.kind !== "block") this.name(call, session, verdict, verdict.kind === "allow");
        return wordOfVerdict(verdict);
      }
      case "beginStep":
        return wordOfVerdict(guard.beginStep());
      case "recordCost":
        guard.recordCost(operation.usd);
        return "allow";
      case "killGuard":
        guard.kill("by the test");
        return "allow";
    }
  }

  private name(call: string, session: string, verdict: { callId: string; approvalId?: string }, isAllowed: boolean) {
    this.calls.set(call, { session, callId: verdict.callId, approvalId: verdict.approvalId, isAllowed });
  }

  private aboutCall(operation: Of<"settle" | "acknowledge" | "approve" | "deny" | "resume">): string {
    const { process = 0, call } = operation;
    const named = this.calls.get(call);
    if (named === undefined) return SKIPPED;
    const { session, callId, approvalId } = named;
    const guard = this.guardIn(process, session);
    if (operation.op === "settle" || operation.op === "acknowledge") {
      if (!named.isAllowed) return SKIPPED;
      if (operation.op === "settle") return word(guard.settle(callId, operation.outcome));
      return word(guard.acknowledge(callId, { ...BY, happened: operation.happened }));
    }
    if (approvalId === undefined) return SKIPPED;
    const answer = operation.op === "resume" ? guard.resume(approvalId) : guard[operation.op](approvalId, BY);
    if (answer.kind === "allow") named.isAllowed = true;
    return wordOfVerdict(answer);
  }
}

function word(settlement: Settlement): string {
  return wordOfSettlement(settlement);
}
