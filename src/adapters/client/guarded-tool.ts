import type { Guard } from "../../guard/guard-api.js";
import { type AgentCall, type CallEnd, type Execute, runCall } from "../core/run-call.js";
import { outputOfText } from "../core/text-output.js";

/** The arguments are not what the application's own parser takes: the tool was not called. */
export class ArgumentsRejected extends Error {
  readonly sent = false;
}

function textIn(part: unknown): string | null {
  if (typeof part !== "object" || part === null) return null;
  const { type, text }: { type?: unknown; text?: unknown } = part;
  return type === "text" && typeof text === "string" ? text : null;
}

/** What rules on outputs judge of what a tool returns: the JSON of its text, or the value. */
function judged(result: unknown): unknown {
  if (typeof result === "string") return outputOfText(result);
  if (!Array.isArray(result) || result.length === 0) return result ?? null;
  const texts = result.map(textIn);
  return texts.includes(null) ? result : outputOfText(texts.join(""));
}

/** Executes a tool of the application under its contract; what it returns is given back as it is. */
export async function runTool(guard: Guard, call: AgentCall, execute: Execute): Promise<CallEnd> {
  let result: unknown;
  const end = await runCall(guard, call, async (args, executing) => {
    result = await execute(args, executing);
    return judged(result);
  });
  return end.kind === "output" ? { kind: "output", output: result } : end;
}

/** Arguments as the application's parser makes them of what was judged. */
export async function parsedBy<T>(parse: () => T): Promise<Awaited<T>> {
  try {
    return await parse();
  } catch (cause) {
    throw new ArgumentsRejected(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
