import { type ToolSet, wrapLanguageModel } from "ai";
import type { Guard } from "../../guard/guard-api.js";
import { callsOf } from "../core/agent-calls.js";
import { answerApproval } from "../core/approval-answers.js";
import { beginTurn } from "../core/model-turn.js";
import { offerOf } from "../core/narrowing.js";
import { approvalResponses } from "./approval-parts.js";
import { type AgentRules, stepMiddleware } from "./guarded-model.js";
import { guardedTools } from "./guarded-tools.js";
import type { AgentOptions, GuardedAgent, PrepareStep } from "./options.js";

/**
 * What `generateText`, `streamText` and agents of the AI SDK spread, so that each request, reply and call passes the guard:
 * `generateText({ model, prompt, ...guardAgent(guard, { tools }) })`.
 */
export function guardAgent<TOOLS extends ToolSet>(guard: Guard, options: AgentOptions<TOOLS>): GuardedAgent<TOOLS> {
  const { tools, gate = "reject_all", narrowing = "silent", prices = null, providerTools = {}, provider } = options;
  const { approver = "manual", approvedBy = "user", prepareStep: own, onWarning } = options;
  const guarded = guardedTools(guard, tools, { providerTools, approver, approvedBy });
  const names = Object.keys(tools).map((name) => providerTools[name] ?? name);
  const rules: AgentRules = { gate, prices, tools, providerTools, provider, onWarning };
  callsOf(guard).execute(Object.keys(guarded));
  const denied = async (messages: Parameters<typeof approvalResponses>[0]) => {
    const refused = approvalResponses(messages).filter(({ isYes }) => !isYes);
    for (const { call, reason } of refused) {
      await answerApproval(guard, call, { isYes: false, by: approvedBy, note: reason });
    }
  };
  const prepareStep: PrepareStep<TOOLS> = async (step) => {
    const prepared = await own?.(step);
    const model = prepared?.model ?? step.model;
    if (typeof model === "string" || model.specificationVersion === "v2") {
      throw new TypeError("`prepareStep` must give the model itself, of version 3 of its specification or later");
    }
    if (approver === "sdk" && step.stepNumber === 0) await denied(step.messages);
    await beginTurn(guard, model.modelId, prices);
    const middleware = stepMiddleware(guard, rules, offerOf(guard, names, narrowing));
    return { ...prepared, model: wrapLanguageModel({ model, middleware }) };
  };
  // The same tools but for `execute` and `needsApproval`.
  return { tools: guarded as TOOLS, prepareStep };
}
