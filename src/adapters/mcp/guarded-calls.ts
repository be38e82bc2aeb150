import type {
  CallToolRequest,
  CallToolResult,
  InputRequiredResult,
  RequestId,
  RequestStateCodec,
  Server,
  ServerContext,
} from "@modelcontextprotocol/server";
import type { CompiledTool } from "../../artifact/compiled.js";
import type { JsonObject } from "../../base/json.js";
import type { Guard } from "../../guard/guard-api.js";
import type { ApprovalVerdict, BlockVerdict } from "../../guard/public.js";
import { callsOf } from "../core/agent-calls.js";
import { judgeCalls } from "../core/gate.js";
import { repeatedCall } from "../core/refusal.js";
import { runCall } from "../core/run-call.js";
import { type ApprovalState, callHash } from "./approval-state.js";
import { canAsk, elicitAnswer, question, recordAnswer, statedCapabilities } from "./ask-approval.js";
import type { Catalog } from "./catalog.js";
import { forwardedMeta, forwardedProgress } from "./request-meta.js";
import { failedResult, outputOf, refusedResult } from "./results.js";
import type { Era } from "./tool-list.js";
import type { Upstream } from "./upstream.js";
import { ToolFailed } from "./upstream-failure.js";

/** One connection of a client, or one request of a client without connections. */
export interface Connection {
  readonly guard: Guard;
  readonly catalog: Catalog;
  readonly upstream: Upstream;
  readonly era: Era;
  /** Begins the keys of its calls, because ids of requests begin anew with each connection. */
  readonly name: string;
  /** Signs what a client brings back; null if approvals are given elsewhere. */
  readonly codec: RequestStateCodec<ApprovalState> | null;
  /** The calls that are running; whoever ends the connection waits for them. */
  readonly running: Set<Promise<unknown>>;
}

interface JudgedRequest {
  /** The key of the call. Only calls that may wait for an answer of their client have one: a key costs as much as a judgement. */
  readonly id: string | undefined;
  readonly tool: string;
  readonly args: JsonObject;
}

type KeyedCall = JudgedRequest & { readonly id: string };

/** So many ids of requests are remembered, as many as a guard remembers keys. */
const MOST_IDS = 10_000;

/** Whether a call may wait for an approval, whose request is withdrawn when its client gives up. */
function mayWait(contract: CompiledTool | undefined): boolean {
  return contract?.checks.some(({ kind }) => kind === "checkpoint") === true;
}

/** The calls of one client: judged, approved, sent and settled. */
export class GuardedCalls {
  private readonly ids = new Set<RequestId>();

  constructor(
    private readonly connection: Connection,
    private readonly server: Server,
  ) {}

  /** Answers `tools/call`. */
  async handle({ params }: CallToolRequest, ctx: ServerContext): Promise<CallToolResult | InputRequiredResult> {
    const { catalog } = this.connection;
    // Arguments of a request are JSON.
    const args = (params.arguments ?? {}) as JsonObject;
    if (catalog.isStale) await catalog.read();
    const changed = catalog.refusal(params.name);
    if (changed !== null) return refusedResult({ kind: "refused", verdict: changed });
    if (this.isRepeated(ctx.mcpReq.id)) return refusedResult({ kind: "refused", verdict: repeatedCall() });
    const { codec } = this.connection;
    if (codec === null) return this.run({ id: undefined, tool: params.name, args }, ctx);
    const state = ctx.mcpReq.requestState<ApprovalState>();
    const call = { id: state?.key ?? `${this.connection.name}/${ctx.mcpReq.id}`, tool: params.name, args };
    const asked = state === undefined ? await this.ask(call, codec, ctx) : await this.resume(call, state, ctx);
    return asked ?? this.run(call, ctx);
  }

  private isRepeated(id: RequestId): boolean {
    if (this.ids.has(id)) return true;
    this.ids.add(id);
    if (this.ids.size <= MOST_IDS) return false;
    const [oldest] = this.ids;
    if (oldest !== undefined) this.ids.delete(oldest);
    return false;
  }

  /** Asks for the approval that a call needs. Null if it can be made, or waits for somebody else to approve it. */
  private async ask(
    call: KeyedCall,
    codec: RequestStateCodec<ApprovalState>,
    ctx: ServerContext,
  ): Promise<CallToolResult | InputRequiredResult | null> {
    const { guard, catalog, era } = this.connection;
    const capabilities = era === "modern" ? statedCapabilities(ctx) : this.server.getClientCapabilities();
    if (!mayWait(catalog.contract(call.tool)) || !canAsk(capabilities)) return null;
    const judged = await judgeCalls(guard, [call], "strip_blocked");
    callsOf(guard).add(judged);
    const fate = judged[0]?.fate;
    if (fate?.kind !== "waiting") return null;
    const { request } = fate;
    if (era === "legacy") {
      return this.refused(call, await elicitAnswer(guard, call.tool, { request, ctx }));
    }
    this.forgetLater(call, request);
    const state = { approval: request.approvalId, key: call.id, call: callHash(call.tool, call.args) };
    return question(call.tool, request, { codec, state, ctx });
  }

  /** A call that is made again with the answer to its approval. Null if its fate is known to the guard. */
  private async resume(call: KeyedCall, state: ApprovalState, ctx: ServerContext): Promise<CallToolResult | null> {
    const { guard } = this.connection;
    if (state.call !== callHash(call.tool, call.args)) {
      return failedResult("the approval is for another call: make the call again without its state");
    }
    const refused = this.refused(call, await recordAnswer(guard, state.approval, ctx));
    if (refused !== null) return refused;
    const calls = callsOf(guard);
    if (calls.find(call.id) !== undefined) return null;
    // Asked by another process, or by this one before it was started again.
    const verdict = await guard.resume(state.approval);
    if (verdict.kind === "block") return refusedResult({ kind: "refused", verdict });
    if (verdict.kind === "allow" && verdict.repeated !== true) {
      calls.add([{ call, fate: { kind: "reserved", callId: verdict.callId } }]);
    }
    return null;
  }

  /** What the client gets of a call that was not approved, which nobody makes any more. */
  private refused({ id }: KeyedCall, verdict: BlockVerdict | null): CallToolResult | null {
    if (verdict === null) return null;
    callsOf(this.connection.guard).forget(id);
    return refusedResult({ kind: "refused", verdict });
  }

  /** A client that never brings the answer leaves nothing behind. */
  private forgetLater({ id }: KeyedCall, { deadline }: ApprovalVerdict): void {
    const { guard } = this.connection;
    setTimeout(() => callsOf(guard).forget(id), Math.min(deadline - Date.now(), 2 ** 31 - 1)).unref();
  }

  private async run(call: JudgedRequest, ctx: ServerContext): Promise<CallToolResult> {
    const running = this.settled(call, ctx);
    this.connection.running.add(running);
    try {
      return await running;
    } finally {
      this.connection.running.delete(running);
      if (call.id !== undefined) callsOf(this.connection.guard).forget(call.id);
    }
  }

  private async settled(call: JudgedRequest, ctx: ServerContext): Promise<CallToolResult> {
    const { guard, catalog, upstream } = this.connection;
    const name = call.tool;
    let result: CallToolResult | null = null;
    const contract = catalog.contract(name);
    const { signal } = ctx.mcpReq;
    // The guard keeps the time; a client that gives up ends the request itself, and what the call did is then unknown.
    const send = async (args: unknown) => {
      const params = { name, arguments: args as Record<string, unknown>, ...forwardedMeta(ctx) };
      const onprogress = forwardedProgress(ctx);
      const tool = catalog.tool(name);
      result = await upstream.call({ params, tool, signal, onprogress, limitMs: contract?.total_ms ?? null });
      return outputOf(result);
    };
    try {
      const end = await runCall(guard, mayWait(contract) ? { ...call, signal } : call, send);
      if (end.kind !== "output") return refusedResult(end);
      return result ?? failedResult(`${name} gave no result`);
    } catch (cause) {
      if (cause instanceof ToolFailed) return cause.result;
      // Nobody reads the answer to a request that was cancelled.
      if (ctx.mcpReq.signal.aborted || !(cause instanceof Error)) throw cause;
      return failedResult(`${name} failed: ${cause.message}`);
    }
  }
}
