import type { Json, JsonObject } from "../../base/json.js";
import { plainJson } from "../../guard/values/plain-json.js";
import { describeFailure } from "./describe-failure.js";

interface RecordedCall {
  readonly id: string;
  readonly tool: string;
  readonly args: Json;
  /** The tool's answer for the model; null until there is one. */
  content: string | null;
}

const UNFINISHED = JSON.stringify({ error: "no_result", message: "the run ended before the tool answered" });

function textOf(output: unknown): string {
  if (typeof output === "string") return output;
  const plain = plainJson(output);
  return plain.ok ? JSON.stringify(plain.value) : JSON.stringify({ error: "output_not_json" });
}

/**
 * The messages of a run, as the platform renders them. Each call is an assistant message with one tool call and the tool message
 * that answers it, in the order in which the calls began, so that every answer follows its call.
 */
export class Transcript {
  private readonly calls: RecordedCall[] = [];

  constructor(private readonly userInstruction: string) {}

  /** Makes a call and records it, however it ends. */
  async record(tool: string, args: unknown, make: () => Promise<unknown>): Promise<unknown> {
    const plain = plainJson(args);
    const call: RecordedCall = {
      id: `call_${this.calls.length + 1}`,
      // Any other name is refused; converting it to a text could run code of the caller.
      tool: typeof tool === "string" ? tool : "",
      args: plain.ok ? plain.value : {},
      content: null,
    };
    this.calls.push(call);
    try {
      const output = await make();
      call.content = textOf(output);
      return output;
    } catch (cause) {
      call.content = describeFailure(cause);
      throw cause;
    }
  }

  /** The messages of the run, with the agent's answer at the end. */
  messages(answer: string): readonly JsonObject[] {
    const question: JsonObject[] = this.userInstruction === "" ? [] : [{ role: "user", content: this.userInstruction }];
    const calls = this.calls.flatMap(({ id, tool, args, content }): JsonObject[] => [
      { role: "assistant", tool_calls: [{ id, name: tool, arguments: args }] },
      { role: "tool", tool_call_id: id, content: content ?? UNFINISHED },
    ]);
    return [...question, ...calls, { role: "assistant", content: answer }];
  }
}
