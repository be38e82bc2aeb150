import type { Json } from "../../base/json.js";
import type { Guard } from "../../guard/guard-api.js";
import { parsedBody } from "../client/body.js";
import { ArgumentsRejected, parsedBy, runTool } from "../client/guarded-tool.js";
import { callsOf } from "../core/agent-calls.js";
import { textOf } from "../core/refusal.js";

type Callback = (...given: readonly unknown[]) => unknown;

/** A tool as `runTools` executes it. */
interface Runnable {
  readonly name: string;
  readonly execute: Callback;
  /** Without one the tool gets its arguments as the text that they are. */
  readonly parse: Callback | null;
  /** What the model is told of it. */
  readonly definition: object;
}

function callback(value: unknown): Callback | null {
  return typeof value === "function" ? (...given) => Reflect.apply(value, undefined, given) : null;
}

/** A tool that the SDK executes; null for a definition alone. Helpers of the SDK keep the functions beside the definition. */
function runnableIn(tool: object): Runnable | null {
  const inner: unknown = Reflect.get(tool, "function");
  if (typeof inner !== "object" || inner === null) return null;
  const helper: unknown = Reflect.get(tool, "$callback");
  const named: unknown = helper ?? Reflect.get(inner, "function");
  const execute = callback(named);
  if (execute === null) return null;
  const parse = callback(helper === undefined ? Reflect.get(inner, "parse") : Reflect.get(tool, "$parseRaw"));
  const stated: unknown = Reflect.get(inner, "name");
  const name = typeof stated === "string" && stated !== "" ? stated : String(Reflect.get(Object(named), "name"));
  return { name, execute, parse, definition: inner };
}

/** The signal that ends when the run is aborted. */
function signalOf(runner: unknown): AbortSignal | undefined {
  if (typeof runner !== "object" || runner === null) return undefined;
  const controller: unknown = Reflect.get(runner, "controller");
  return controller instanceof AbortController ? controller.signal : undefined;
}

function guardedFunction(guard: Guard, { name: tool, execute, parse }: Runnable): Callback {
  return async (given, runner, context) => {
    const args: Json = parsedBody(String(given)) ?? String(given);
    const call = { tool, args, signal: signalOf(runner) };
    try {
      const end = await runTool(guard, call, async (copy) => {
        const text = JSON.stringify(copy);
        return execute(parse === null ? text : await parsedBy(() => parse(text)), runner, context);
      });
      // A tool that throws would end the whole run.
      return end.kind === "output" ? end.output : textOf(end);
    } catch (cause) {
      if (cause instanceof ArgumentsRejected) return cause.message;
      throw cause;
    }
  };
}

/**
 * The same tools for `runTools`, executed under their contracts. A refusal is what the tool returns to the model. Definitions without a
 * function stay as they are.
 */
export function guardTools<T extends object>(guard: Guard, tools: readonly T[]): T[] {
  return tools.map((tool) => {
    const runnable = runnableIn(tool);
    if (runnable === null) return tool;
    callsOf(guard).execute([runnable.name]);
    const { name, definition } = runnable;
    // What is judged are the arguments that the model gave; the tool's own parser reads them after that.
    const own = { ...definition, name, parse: (text: string) => text, function: guardedFunction(guard, runnable) };
    return { ...tool, type: "function", $brand: undefined, function: own };
  });
}
