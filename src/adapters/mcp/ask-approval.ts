import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  type InputRequiredResult,
  inputRequired,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { clean } from "../../base/clean.js";
import type { Guard } from "../../guard/guard-api.js";
import type { ApprovalVerdict, BlockVerdict } from "../../guard/public.js";
import type { ApprovalState } from "./approval-state.js";

/** The name under which answers of a client's user are recorded. */
const BY = "mcp client";
const QUESTION = "approval";

function form(tool: string, { message, because, context }: ApprovalVerdict): ElicitRequestFormParams {
  const facts = context.map(({ label, value }) => `${label}: ${JSON.stringify(value)}`);
  const text = [`Allow the call of ${tool}?`, message, ...(because === undefined ? [] : [because]), ...facts];
  return {
    message: clean(text.join("\n")),
    requestedSchema: {
      type: "object",
      properties: { decision: { type: "string", enum: ["approve", "deny"], description: "whether the call is made" } },
      required: ["decision"],
    },
  };
}

/** Only a plain yes approves. */
function isApproved(answer: unknown): boolean {
  if (typeof answer !== "object" || answer === null) return false;
  const { action, content }: { action?: unknown; content?: unknown } = answer;
  if (action !== "accept" || typeof content !== "object" || content === null) return false;
  return Reflect.get(content, "decision") === "approve";
}

/** Whether the client can show a form to its user; one that declares no kind of elicitation means forms. */
export function canAsk(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** What a client of the newer protocol says of itself with each request. */
export function statedCapabilities({ mcpReq }: ServerContext): ClientCapabilities | undefined {
  const { envelope } = mcpReq;
  // The SDK has checked it, and has no type for it.
  return envelope === undefined ? undefined : Reflect.get(envelope, CLIENT_CAPABILITIES_META_KEY);
}

/** Null if the call may go on; somebody else may have answered before. */
async function record(guard: Guard, approvalId: string, isYes: boolean, note?: string): Promise<BlockVerdict | null> {
  const answer = { by: BY, ...(note === undefined ? {} : { note }) };
  const verdict = await (isYes ? guard.approve(approvalId, answer) : guard.deny(approvalId, answer));
  return verdict.kind === "block" && verdict.reason !== "approval_used" ? verdict : null;
}

/** Asks the user of a client of the older protocol, while the call waits. Without an answer the call is denied: why it is not made. */
export async function elicitAnswer(
  guard: Guard,
  tool: string,
  { request, ctx }: { readonly request: ApprovalVerdict; readonly ctx: ServerContext },
): Promise<BlockVerdict | null> {
  try {
    const timeout = Math.max(1, request.deadline - Date.now());
    const answer = await ctx.mcpReq.elicitInput(form(tool, request), { timeout, signal: ctx.mcpReq.signal });
    return await record(guard, request.approvalId, isApproved(answer));
  } catch {
    // Whatever failed at the client's side: nobody said yes.
    return record(guard, request.approvalId, false, "the client gave no answer");
  }
}

/** The question to a client of the newer protocol, which makes the call again with the answer. */
export async function question(
  tool: string,
  request: ApprovalVerdict,
  { codec, state, ctx }: { codec: RequestStateCodec<ApprovalState>; state: ApprovalState; ctx: ServerContext },
): Promise<InputRequiredResult> {
  return inputRequired({
    inputRequests: { [QUESTION]: inputRequired.elicit(form(tool, request)) },
    requestState: await codec.mint(state, ctx),
  });
}

/** Records the answer that a call was made again with: why the call is not made. No answer is a no. */
export async function recordAnswer(
  guard: Guard,
  approvalId: string,
  { mcpReq }: ServerContext,
): Promise<BlockVerdict | null> {
  return record(guard, approvalId, isApproved(mcpReq.inputResponses?.[QUESTION]));
}
