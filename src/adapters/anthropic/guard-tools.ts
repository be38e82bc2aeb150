import type { Json } from "../../base/json.js";
import type { Guard } from "../../guard/guard-api.js";
import { parsedBy, runTool } from "../client/guarded-tool.js";
import { callsOf } from "../core/agent-calls.js";
import { textOf } from "../core/refusal.js";

/** What the tool runner says of a call. */
interface RunContext {
  readonly toolUse?: { readonly id: string };
  readonly signal?: AbortSignal | null | undefined;
}

/** A tool as the tool runner executes it. */
interface RunnableTool {
  readonly name: string;
  readonly run: (args: never, context?: never) => unknown;
  readonly parse?: (content: never) => unknown;
}

/** A call that was not made, or whose output broke a rule: the tool runner tells the model so. */
class CallRefused extends Error {}

function isRunnable(tool: object): tool is RunnableTool {
  return "name" in tool && typeof tool.name === "string" && "run" in tool && typeof tool.run === "function";
}

function guarded(guard: Guard, tool: RunnableTool) {
  const run = async (args: Json, context: RunContext = {}): Promise<unknown> => {
    const call = { id: context.toolUse?.id, tool: tool.name, args, signal: context.signal ?? undefined };
    const end = await runTool(guard, call, async (copy, { signal }) => {
      // The tool's own parser reads what was judged.
      const parsed: unknown = await parsedBy(() => (tool.parse === undefined ? copy : tool.parse(copy as never)));
      return tool.run(parsed as never, { ...context, signal } as never);
    });
    if (end.kind === "output") return end.output;
    throw new CallRefused(textOf(end));
  };
  return { ...tool, parse: (content: Json) => content, run };
}

/**
 * The same tools for `toolRunner`, executed under their contracts. A refusal is an error of the tool for the model. Definitions without
 * a function stay as they are.
 */
export function guardTools<T extends object>(guard: Guard, tools: readonly T[]): T[] {
  return tools.map((tool) => {
    if (!isRunnable(tool)) return tool;
    callsOf(guard).execute([tool.name]);
    return guarded(guard, tool) as unknown as T;
  });
}
