import { inspect } from "node:util";
import type { Artifact } from "../../src/artifact/compiled.js";
import type { DurableStore } from "../../src/guard/durable-store.js";
import type { Guard } from "../../src/guard/guard-api.js";
import type { Outcome } from "../../src/guard/session/outcome.js";
import { openStore } from "../../src/stores/open-store.js";
import { openWorkflow, type Workflow, WorkflowRefused, type WorkflowSession } from "../../src/workflow/public.js";
import { plainVisibility } from "../differential/answers.js";
import { type Glance, type Operation, type Side, SKIPPED, sessionOf } from "./operation.js";
import { PRINCIPAL } from "./principal.js";
import { type Rebuilt, rebuilt } from "./rebuilt.js";
import type { WorkflowState } from "./reference/model.js";
import { wordOfSettlement, wordOfVerdict } from "./words.js";

type Of<K extends Operation["op"]> = Operation & { readonly op: K };

interface Named {
  readonly session: string;
  readonly callId: string;
  readonly approvalId: string | undefined;
  /** Whether it may be sent, so that there is something to settle. */
  isAllowed: boolean;
}

/** What one process has in memory. */
interface Process {
  readonly workflow: Workflow;
  /** Those that are being attached, too: each session has one guard in a process. */
  readonly sessions: Map<string, Promise<WorkflowSession>>;
}

const WORKFLOW = "w";
const BY = { by: "ann", why: "seen" };

/** Plays operations on the real workflow: each process has an `openWorkflow` of its own, on one store. */
export class RealSide implements Side {
  private readonly processes = new Map<number, Promise<Process>>();
  private readonly found = new Map<string, string>();
  private readonly calls = new Map<string, Named>();
  private readonly options = new Map<string, object>();
  private now = 1_700_000_000_000;

  private constructor(
    private readonly artifact: Artifact,
    private readonly store: DurableStore,
  ) {}

  static async open(artifact: Artifact): Promise<RealSide> {
    return new RealSide(artifact, await openStore("memory:"));
  }

  foundFor(call: string): string | undefined {
    return this.found.get(call);
  }

  async state(process: number): Promise<WorkflowState> {
    return (await this.process(process)).workflow.state();
  }

  async glance(operation: Operation): Promise<Glance | null> {
    const session = sessionOf(operation, this.calls);
    if (session === undefined || !this.options.has(session)) return null;
    const guard = await this.guardIn(operation.process ?? 0, session);
    const call = operation.op === "propose" ? { tool: operation.tool, args: operation.args ?? {} } : null;
    const [refusal] = call === null ? [] : guard.explain(call);
    return { tools: plainVisibility(guard.visibleTools()), refusal: refusal?.reason ?? null };
  }

  rebuilt(): Promise<Rebuilt> {
    return rebuilt(this.artifact, this.store, WORKFLOW);
  }

  async perform(operation: Operation): Promise<string> {
    try {
      return await this.done(operation);
    } catch (cause) {
      if (cause instanceof WorkflowRefused) return wordOfVerdict(cause.verdict);
      return cause instanceof TypeError ? "TypeError" : inspect(cause);
    }
  }

  private process(at: number): Promise<Process> {
    const known = this.processes.get(at);
    if (known !== undefined) return known;
    const made = this.newProcess();
    this.processes.set(at, made);
    return made;
  }

  private async newProcess(): Promise<Process> {
    const { artifact, store } = this;
    const clock = { now: () => this.now };
    const workflow = await openWorkflow(artifact, { store, workflowId: WORKFLOW, clock, env: "lenient" });
    return { workflow, sessions: new Map() };
  }

  private async done(operation: Operation): Promise<string> {
    const at = operation.process ?? 0;
    switch (operation.op) {
      case "start": {
        const { workflow } = await this.process(at);
        return this.begun(operation, (options) => workflow.start(operation.role, options));
      }
      case "handoff": {
        const { role, from, artifacts } = operation;
        if (!this.options.has(from)) return SKIPPED;
        const parent = await this.sessionIn(at, from);
        return this.begun(operation, (options) => parent.handoff(role, { ...options, artifacts } as object));
      }
      case "attach":
        await this.attach(at, operation.session);
        return "allow";
      case "close":
        if (!this.options.has(operation.session)) return SKIPPED;
        await (await this.sessionIn(at, operation.session)).close();
        return "allow";
      case "kill":
        await this.kill(at, operation);
        return "allow";
      case "crash":
        this.processes.delete(at);
        return "allow";
      case "wait":
        this.now += operation.seconds * 1000;
        return "allow";
      case "propose":
      case "beginStep":
      case "recordCost":
      case "killGuard":
        return this.inSession(at, operation);
      default:
        return this.aboutCall(at, operation);
    }
  }

  private async kill(at: number, { scope, session, operator }: Of<"kill">): Promise<void> {
    const { workflow } = await this.process(at);
    const given = { ...(session === undefined ? {} : { session }), ...(operator === undefined ? {} : { operator }) };
    await workflow.kill({ scope, why: "by the test", ...given } as Parameters<Workflow["kill"]>[0]);
  }

  private async begun(
    { session, mode = "enforce", approver, process = 0 }: Of<"start" | "handoff">,
    begin: (options: object) => Promise<WorkflowSession>,
  ): Promise<string> {
    const options = { principal: PRINCIPAL, mode, ...(approver === undefined ? {} : { approver }) };
    const begun = await begin({ ...options, sessionId: session });
    this.options.set(session, options);
    (await this.process(process)).sessions.set(session, Promise.resolve(begun));
    return "allow";
  }

  private async attach(at: number, session: string): Promise<WorkflowSession> {
    return this.attachIn(await this.process(at), session);
  }

  private attachIn({ workflow, sessions }: Process, session: string): Promise<WorkflowSession> {
    const attached = workflow.attach(session, this.options.get(session) ?? { principal: PRINCIPAL });
    if (this.options.has(session)) sessions.set(session, attached);
    return attached;
  }

  private async sessionIn(at: number, session: string): Promise<WorkflowSession> {
    const process = await this.process(at);
    return process.sessions.get(session) ?? this.attachIn(process, session);
  }

  private async guardIn(at: number, session: string): Promise<Guard> {
    return (await this.sessionIn(at, session)).guard;
  }

  private async inSession(
    at: number,
    operation: Of<"propose" | "beginStep" | "recordCost" | "killGuard">,
  ): Promise<string> {
    const { session } = operation;
    if (!this.options.has(session)) return SKIPPED;
    const guard = await this.guardIn(at, session);
    switch (operation.op) {
      case "propose": {
        const { tool, args = {}, call, callKey } = operation;
        const verdict = await guard.propose({ tool, args, ...(callKey === undefined ? {} : { callKey }) });
        if (verdict.kind === "block") this.found.set(call, verdict.found ?? "");
        else {
          const approvalId = "approvalId" in verdict ? verdict.approvalId : undefined;
          this.calls.set(call, { session, callId: verdict.callId, approvalId, isAllowed: verdict.kind === "allow" });
        }
        return wordOfVerdict(verdict);
      }
      case "beginStep":
        return wordOfVerdict(await guard.beginStep());
      case "recordCost":
        await guard.recordCost(operation.usd);
        return "allow";
      case "killGuard":
        await guard.kill("by the test");
        return "allow";
    }
  }

  private async aboutCall(
    at: number,
    operation: Of<"settle" | "acknowledge" | "approve" | "deny" | "resume">,
  ): Promise<string> {
    const named = this.calls.get(operation.call);
    if (named === undefined) return SKIPPED;
    const { session, callId, approvalId } = named;
    const guard = await this.guardIn(at, session);
    if (operation.op === "settle" || operation.op === "acknowledge") {
      if (!named.isAllowed) return SKIPPED;
      if (operation.op === "settle") return wordOfSettlement(await guard.settle(callId, operation.outcome as Outcome));
      return wordOfSettlement(await guard.acknowledge(callId, { ...BY, happened: operation.happened }));
    }
    if (approvalId === undefined) return SKIPPED;
    const { op } = operation;
    const answer = await (op === "resume" ? guard.resume(approvalId) : guard[op](approvalId, { by: BY.by }));
    if (answer.kind === "allow") named.isAllowed = true;
    return wordOfVerdict(answer);
  }
}
