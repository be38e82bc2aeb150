import type { LanguageModelMiddleware, ToolSet } from "ai";
import type { Guard } from "../../guard/guard-api.js";
import type { ModelProvider, RequestWarning } from "../../guard/model/public.js";
import { asSent } from "../core/as-sent.js";
import { endTurn, type TurnRules } from "../core/model-turn.js";
import type { Offer } from "../core/narrowing.js";
import type { ProviderTools } from "../core/provider-tools.js";
import { checkBody } from "../core/request-check.js";
import { heldStream } from "./held-stream.js";
import { checkOffered } from "./offered-tools.js";
import { ReplyParts, type RequestParams } from "./reply-parts.js";

/** What is the same for all steps of an agent. */
export interface AgentRules extends TurnRules {
  readonly tools: ToolSet;
  /** Whose constraints requests are judged by; undefined where the name of the model's provider says it. */
  readonly provider: ModelProvider | null | undefined;
  readonly onWarning: ((warning: RequestWarning) => void) | undefined;
}

/** The provider whose format the requests of a model have, as far as its name says. */
function providerOf(name: string): ModelProvider | null {
  if (/(?:^|\.)anthropic(?:\.|$)/.test(name)) return "anthropic";
  return /^(?:openai|azure|azure-openai)(?:\.|$)/.test(name) ? "openai" : null;
}

/** The body as it was sent. */
function bodyOf(request: { body?: unknown } | undefined): unknown {
  const { body } = request ?? {};
  if (body === undefined) {
    throw new TypeError("the provider of the model does not tell what it sent, so it cannot be judged");
  }
  return typeof body === "string" ? JSON.parse(body) : asSent(body);
}

/** Leaves out what cannot be called now, and tells the model of it after its instructions. */
function narrowed(params: RequestParams, { isOffered, note }: Offer, providerTools: ProviderTools): RequestParams {
  const { tools, toolChoice, prompt, ...others } = params;
  const offered = tools?.filter(({ type, name }) =>
    isOffered(type === "function" ? name : (providerTools[name] ?? name)),
  );
  if (note === null && offered?.length === tools?.length) return params;
  const isChoosable =
    toolChoice?.type === "tool"
      ? offered?.some(({ name }) => name === toolChoice.toolName) === true
      : offered !== undefined && offered.length > 0;
  const instructions = prompt.findIndex(({ role }) => role !== "system");
  const at = instructions === -1 ? prompt.length : instructions;
  const told = note === null ? prompt : prompt.toSpliced(at, 0, { role: "system", content: note });
  return {
    ...others,
    prompt: told,
    ...(offered === undefined || offered.length === 0 ? {} : { tools: offered }),
    // A choice that is not possible any more would be an error of the provider; none is always possible.
    ...(toolChoice !== undefined && (isChoosable || toolChoice.type === "none") ? { toolChoice } : {}),
  };
}

/** Guards the requests and replies of one step; each attempt of the SDK passes it. */
export function stepMiddleware(guard: Guard, rules: AgentRules, offer: Offer): LanguageModelMiddleware {
  const { providerTools, onWarning } = rules;
  const check = (name: string, request: { body?: unknown } | undefined) => {
    const provider = rules.provider === undefined ? providerOf(name) : rules.provider;
    if (provider !== null) checkBody(guard, { provider, request: bodyOf(request) }, onWarning);
  };
  const judge = async (
    parts: ReplyParts,
    model: string,
    params: RequestParams,
    finish: Parameters<ReplyParts["reply"]>[1],
  ) => {
    const { toolChoice, abortSignal: signal } = params;
    const choice = toolChoice?.type === "tool" ? toolChoice.toolName : null;
    const reply = await parts.reply(model, finish, { tools: rules.tools, choice, signal });
    await endTurn(guard, reply, rules);
  };
  return {
    specificationVersion: "v3",
    transformParams: async ({ params }) => {
      checkOffered(guard, params, rules.tools, providerTools);
      return narrowed(params, offer, providerTools);
    },
    wrapGenerate: async ({ doGenerate, params, model }) => {
      const result = await doGenerate();
      check(model.provider, result.request);
      await judge(ReplyParts.of(result), model.modelId, params, result);
      return result;
    },
    wrapStream: async ({ doStream, params, model }) => {
      const result = await doStream();
      try {
        check(model.provider, result.request);
      } catch (cause) {
        await result.stream.cancel();
        throw cause;
      }
      const parts = new ReplyParts();
      const held = heldStream(
        (part) => parts.add(part),
        (finish) => judge(parts, model.modelId, params, finish),
      );
      return { ...result, stream: result.stream.pipeThrough(held) };
    },
  };
}
