import type { ModelMessage, ToolExecutionOptions, ToolSet } from "ai";
import type { JsonObject } from "../../base/json.js";
import type { Guard } from "../../guard/guard-api.js";
import type { ModelCall } from "../../guard/model/public.js";
import { answerApproval, awaitedApproval } from "../core/approval-answers.js";
import { contractOf, type ProviderTools } from "../core/provider-tools.js";
import { RefusedCall } from "../core/refused-call.js";
import { type Executing, runCall } from "../core/run-call.js";
import { approvalResponses } from "./approval-parts.js";

type Tool = ToolSet[string];

/** Who approves calls, for the tools of one agent. */
export interface ToolRules {
  readonly providerTools: ProviderTools;
  readonly approver: "manual" | "sdk";
  readonly approvedBy: string;
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/**
 * The output of a tool: of several, the last one. Those before it are not passed on, because no contract has judged them. A tool whose
 * call has ended is not asked for more.
 */
async function lastOutput(result: unknown, executing: Executing): Promise<unknown> {
  const value = await result;
  if (!isIterable(value)) return value;
  let last: unknown;
  for await (const each of value) {
    if (executing.signal.aborted) break;
    last = each;
  }
  return last;
}

/** The SDK executes a call that waits only after the user has answered; what says so are the messages. */
async function answered(guard: Guard, call: ModelCall, messages: readonly ModelMessage[], by: string): Promise<void> {
  const given = approvalResponses(messages).find((each) => each.call.id === call.id);
  if (given === undefined) return;
  const verdict = await answerApproval(guard, call, { isYes: given.isYes, by, note: given.reason });
  if (verdict !== null) throw new RefusedCall({ kind: "refused", verdict });
}

function guardedTool(guard: Guard, name: string, tool: Tool, { approver, approvedBy }: ToolRules): Tool {
  const { execute, needsApproval } = tool;
  if (execute === undefined) {
    throw new TypeError(`the tool ${name} has no \`execute\`: the guard does not see how its calls end`);
  }
  const callOf = (id: string, input: unknown): ModelCall => ({ id, tool: name, args: input as JsonObject });
  const isAsked = approver === "sdk";
  return {
    ...tool,
    execute: async (input: unknown, options: ToolExecutionOptions) => {
      const { toolCallId: id, messages, abortSignal } = options;
      const call = callOf(id, input);
      if (isAsked) await answered(guard, call, messages, approvedBy);
      const end = await runCall(guard, { ...call, signal: abortSignal }, (args, executing) => {
        const own = {
          ...options,
          get abortSignal() {
            return executing.signal;
          },
        };
        return lastOutput(execute.call(tool, args, own), executing);
      });
      if (end.kind === "output") return end.output;
      throw new RefusedCall(end);
    },
    ...(isAsked && {
      needsApproval: async (input: unknown, options: Omit<ToolExecutionOptions, "abortSignal">) => {
        const own = typeof needsApproval === "function" ? await needsApproval(input, options) : needsApproval;
        const asked = await awaitedApproval(guard, callOf(options.toolCallId, input));
        return asked !== null || own === true;
      },
    }),
  };
}

/** A tool that the SDK knows only by its name at the provider. */
function isOfProvider({ type, execute }: Tool): boolean {
  return type === "provider" && execute === undefined;
}

/** The same tools, whose calls pass the guard. */
export function guardedTools(guard: Guard, tools: ToolSet, rules: ToolRules): ToolSet {
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => {
      if (!isOfProvider(tool)) return [name, guardedTool(guard, name, tool, rules)];
      contractOf(guard, rules.providerTools, name);
      return [name, tool];
    }),
  );
}
