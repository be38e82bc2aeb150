import { type AgentMiddleware, AIMessage, createMiddleware } from "langchain";
import { foreignProperty } from "../../base/foreign-value.js";
import type { Guard } from "../../guard/guard-api.js";
import { callsOf } from "../core/agent-calls.js";
import { beginTurn, endTurn } from "../core/model-turn.js";
import { offerOf } from "../core/narrowing.js";
import { contractOf, type ProviderTools } from "../core/provider-tools.js";
import { checkBody } from "../core/request-check.js";
import type { ModelHandler, ModelRequest } from "./framework.js";
import { GuardedCalls } from "./guarded-calls.js";
import { factsOf } from "./model-facts.js";
import type { MiddlewareOptions } from "./options.js";
import { replyOf } from "./reply-of.js";

/** The name of a tool, and of its contract. */
interface NamedTool {
  readonly tool: ModelRequest["tools"][number];
  readonly name: string;
  readonly contract: string;
}

function textAt(value: unknown, name: string): string | null {
  const text = foreignProperty(value, name);
  return typeof text === "string" ? text : null;
}

/** A tool without a function to call is run by the provider of the model. */
function named(guard: Guard, tool: ModelRequest["tools"][number], providerTools: ProviderTools): NamedTool {
  const definition = foreignProperty(tool, "function");
  const name = textAt(tool, "name") ?? textAt(definition, "name") ?? textAt(tool, "type") ?? "";
  const isOurs = typeof foreignProperty(tool, "invoke") === "function" || definition !== undefined;
  return { tool, name, contract: isOurs ? name : contractOf(guard, providerTools, name) };
}

function choiceOf({ toolChoice }: ModelRequest): string | null {
  return typeof toolChoice === "object" ? toolChoice.function.name : null;
}

/** Leaves out what cannot be called now, and tells the model of it. */
function narrowed(guard: Guard, request: ModelRequest, tools: readonly NamedTool[], narrowing: "silent" | "explain") {
  const { isOffered, note } = offerOf(
    guard,
    tools.map(({ contract }) => contract),
    narrowing,
  );
  const offered = tools.filter(({ contract }) => isOffered(contract));
  const { toolChoice, ...others } = request;
  const choice = choiceOf(request);
  const isChoosable = choice === null ? offered.length > 0 : offered.some(({ name }) => name === choice);
  return {
    ...others,
    tools: offered.map(({ tool }) => tool),
    ...(toolChoice !== undefined && isChoosable ? { toolChoice } : {}),
    ...(note === null ? {} : { systemMessage: request.systemMessage.concat(note) }),
  };
}

/** The message of a reply; with structured output it comes together with others. */
function messageOf(reply: unknown): AIMessage | null {
  if (AIMessage.isInstance(reply)) return reply;
  const messages = foreignProperty(reply, "messages");
  const first: unknown = Array.isArray(messages) ? messages[0] : undefined;
  return AIMessage.isInstance(first) ? first : null;
}

/**
 * The middleware of a guarded agent: `createAgent({ model, tools, middleware: [guardMiddleware(guard)] })`. It is the first one, so that
 * what the others repeat is one step and one call.
 */
export function guardMiddleware(guard: Guard, options: MiddlewareOptions = {}): AgentMiddleware {
  const { gate = "reject_all", narrowing = "silent", prices = null, providerTools = {}, provider } = options;
  const { approver = "manual", approvedBy = "user", onWarning } = options;
  const calls = new GuardedCalls(guard, { approver, approvedBy });
  const wrapModelCall = async (request: ModelRequest, handler: ModelHandler) => {
    const tools = request.tools.map((tool) => named(guard, tool, providerTools));
    const names = tools.map(({ name }) => name);
    callsOf(guard).execute(names);
    calls.endReply();
    const asked = await factsOf(request);
    await beginTurn(guard, asked.name, prices);
    const sent = narrowed(guard, request, tools, narrowing);
    const facts = await factsOf(sent);
    const whose = provider === undefined ? facts.provider : provider;
    if (whose !== null) checkBody(guard, { provider: whose, request: facts.body }, onWarning);
    const reply = await handler(sent);
    const message = messageOf(reply);
    if (message === null) return reply;
    const executed = AIMessage.isInstance(reply) ? names : [];
    await endTurn(
      guard,
      replyOf(message, facts.name, { names: executed, choice: choiceOf(sent), signal: request.runtime.signal }),
      {
        gate,
        prices,
        providerTools,
      },
    );
    return reply;
  };
  return createMiddleware({
    name: "contract-guard",
    wrapModelCall,
    wrapToolCall: (request, handler) => calls.handle(request, handler),
  });
}
