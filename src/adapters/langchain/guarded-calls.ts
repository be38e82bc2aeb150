import { ToolMessage } from "langchain";
import { foreignProperty } from "../../base/foreign-value.js";
import type { JsonObject } from "../../base/json.js";
import type { Guard } from "../../guard/guard-api.js";
import type { ModelCall } from "../../guard/model/public.js";
import type { ApprovalVerdict } from "../../guard/public.js";
import { answerApproval, awaitedApproval } from "../core/approval-answers.js";
import { type Refusal, textOf } from "../core/refusal.js";
import { runCall } from "../core/run-call.js";
import type { ToolHandler, ToolRequest, ToolResult } from "./framework.js";
import { type Attempt, InterruptedCalls, leavesGraph } from "./interrupted-calls.js";
import { outputOf } from "./reply-of.js";

/** Who approves calls. */
export interface CallRules {
  readonly approver: "manual" | "interrupt";
  readonly approvedBy: string;
}

/** A tool that answered with an error: its call is not known to be without an effect, and the model reads the answer. */
class ToolFailed extends Error {
  constructor(readonly result: ToolMessage) {
    super("the tool answered with an error");
  }
}

/** A tool whose arguments did not fit its schema: it was not executed. */
class NotStarted extends Error {
  readonly sent = false;
}

function errorMessage({ id = "", name }: ToolRequest["toolCall"], content: string): ToolMessage {
  return new ToolMessage({ content, tool_call_id: id, name, status: "error" });
}

/** The question to the user, in the form of LangChain's own middleware for it. */
function question({ toolCall: { name, args } }: ToolRequest, { message, because, context }: ApprovalVerdict) {
  const facts = context.map(({ label, value }) => `${label}: ${JSON.stringify(value)}`);
  const description = [message, ...(because === undefined ? [] : [because]), ...facts].join("\n");
  return {
    actionRequests: [{ name, args, description }],
    reviewConfigs: [{ actionName: name, allowedDecisions: ["approve", "reject"] }],
  };
}

/** Only a plain yes approves. */
function decisionOf(answer: unknown): { readonly isYes: boolean; readonly note: string | undefined } {
  const decisions = foreignProperty(answer, "decisions");
  const decision: unknown = Array.isArray(decisions) && decisions.length === 1 ? decisions[0] : undefined;
  const note = foreignProperty(decision, "message");
  return {
    isYes: foreignProperty(decision, "type") === "approve",
    note: typeof note === "string" ? note : undefined,
  };
}

/** A tool that says when it is executed: what fails before was not sent. */
function observed(tool: ToolRequest["tool"], started: () => void): ToolRequest["tool"] {
  const run = foreignProperty(tool, "_call");
  if (tool === undefined || typeof run !== "function") {
    started();
    return tool;
  }
  const own = {
    value: (...args: readonly unknown[]): unknown => {
      started();
      return run.apply(tool, args);
    },
  };
  return Object.create(tool, { _call: own });
}

/** The result of a tool: of a command, the message for this call. */
function judgedPart(result: ToolResult, id: string): unknown {
  if (ToolMessage.isInstance(result)) return outputOf(result);
  const messages = foreignProperty(foreignProperty(result, "update"), "messages");
  const own: unknown = Array.isArray(messages)
    ? messages.find((each) => foreignProperty(each, "tool_call_id") === id)
    : undefined;
  return ToolMessage.isInstance(own) ? outputOf(own) : null;
}

/** The calls of one agent. */
export class GuardedCalls {
  private readonly interrupted = new InterruptedCalls();
  /** The results of this reply's calls: a graph that is resumed may ask for them again. */
  private ended = new Map<string, ToolResult>();

  constructor(
    private readonly guard: Guard,
    private readonly rules: CallRules,
  ) {}

  /** The next request begins. */
  endReply(): void {
    this.ended = new Map();
  }

  async handle(request: ToolRequest, handler: ToolHandler): Promise<ToolResult> {
    const { id = "", name, args } = request.toolCall;
    const known = this.ended.get(id);
    if (known !== undefined) return known;
    const call = { id, tool: name, args: args as JsonObject };
    const refused = await this.answered(request, call);
    if (refused !== null) return refused;
    const attempt: Attempt = (copy, signal) => this.attempt(request, handler, { copy, signal });
    const result = await this.interrupted.run(id, attempt, (execute) => this.settled(request, call, execute));
    this.ended.set(id, result);
    return result;
  }

  /** Asks the user about a call that waits, and takes the answer after the graph was resumed. */
  private async answered(request: ToolRequest, call: ModelCall): Promise<ToolMessage | null> {
    const { approver, approvedBy: by } = this.rules;
    const { interrupt } = request.runtime;
    if (approver === "manual") return null;
    const asked = await awaitedApproval(this.guard, call);
    if (asked === null) return null;
    if (interrupt === undefined) throw new TypeError("this version of LangChain gives its middleware no interrupt");
    const answer = decisionOf(interrupt(question(request, asked)));
    const verdict = await answerApproval(this.guard, call, { ...answer, by });
    return verdict === null ? null : errorMessage(request.toolCall, textOf({ kind: "refused", verdict }));
  }

  private async attempt(
    request: ToolRequest,
    handler: ToolHandler,
    { copy, signal }: { readonly copy: unknown; readonly signal: AbortSignal },
  ): Promise<ToolResult> {
    let hasStarted = false;
    const tool = observed(request.tool, () => {
      hasStarted = true;
    });
    // The guard copied these arguments from those of the call.
    const toolCall = { ...request.toolCall, args: copy as ToolRequest["toolCall"]["args"] };
    try {
      signal.throwIfAborted();
      const result = await handler({ ...request, toolCall, tool });
      if (ToolMessage.isInstance(result) && result.status === "error") throw new ToolFailed(result);
      return result;
    } catch (cause) {
      if (hasStarted || leavesGraph(cause)) throw cause;
      throw new NotStarted("the tool was not executed", { cause });
    }
  }

  private async settled(request: ToolRequest, call: ModelCall, execute: Attempt): Promise<ToolResult> {
    const { toolCall, runtime } = request;
    let result: ToolResult | null = null;
    const send: Attempt = async (copy, signal) => {
      result = await execute(copy, signal);
      return result;
    };
    try {
      const { signal } = runtime;
      const end = await runCall(this.guard, { ...call, signal }, async (copy, { signal: ending }) =>
        judgedPart(await send(copy, ending), call.id),
      );
      if (end.kind !== "output") return this.refusedMessage(toolCall, end);
      return result ?? errorMessage(toolCall, "the tool gave no result");
    } catch (cause) {
      return this.failed(request, cause);
    }
  }

  private refusedMessage(toolCall: ToolRequest["toolCall"], refusal: Refusal): ToolMessage {
    return errorMessage(toolCall, textOf(refusal));
  }

  /** As LangChain words it for tools without middleware; with one, errors would end the agent. */
  private failed({ toolCall, runtime }: ToolRequest, cause: unknown): ToolMessage {
    if (cause instanceof ToolFailed) return cause.result;
    if (runtime.signal?.aborted === true || leavesGraph(cause)) throw cause;
    const own = cause instanceof NotStarted ? cause.cause : cause;
    return errorMessage(toolCall, `${own}\n Please fix your mistakes.`);
  }
}
