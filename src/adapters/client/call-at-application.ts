import type { Guard } from "../../guard/guard-api.js";
import type { ModelCall } from "../../guard/model/public.js";
import { type Refusal, textOf } from "../core/refusal.js";
import { type CallEnd, runCall } from "../core/run-call.js";
import { outputOfText } from "../core/text-output.js";
import { plainText } from "./body.js";
import type { ToolResult } from "./dialect.js";

/** What rules on outputs judge of a result: the JSON of its text, or the list of its parts. */
export function outputOf({ content }: ToolResult): unknown {
  const text = plainText(content);
  return text === null ? content : outputOfText(text);
}

/** A call without an output: the application says that the tool failed, or never got the call. */
class NoOutput extends Error {
  constructor(
    message: string,
    readonly sent: boolean,
  ) {
    super(message);
  }
}

/** A call that had to be approved and that the application executes: it runs until a request brings its result. */
export class CallAtApplication {
  readonly begun: Promise<null>;
  readonly ending: Promise<CallEnd>;
  private report: (output: unknown) => void = () => {};
  private fail: (cause: NoOutput) => void = () => {};

  private constructor(guard: Guard, call: ModelCall, signal: AbortSignal) {
    let begin: (value: null) => void = () => {};
    this.begun = new Promise((resolve) => {
      begin = resolve;
    });
    const output = new Promise<unknown>((resolve, reject) => {
      this.report = resolve;
      this.fail = reject;
    });
    // Whoever takes the result hears of it again.
    output.catch(() => undefined);
    this.ending = runCall(guard, { ...call, signal }, () => {
      begin(null);
      return output;
    });
    this.ending.catch(() => undefined);
  }

  /** Waits until the call may be made; the signal ends this wait alone. */
  static async permitted(guard: Guard, call: ModelCall, signal: AbortSignal): Promise<CallAtApplication | Refusal> {
    const waiting = new AbortController();
    const giveUp = () => waiting.abort(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp);
    try {
      const running = new CallAtApplication(guard, call, waiting.signal);
      const end = await Promise.race([running.begun, running.ending]);
      return end === null || end.kind === "output" ? running : end;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  /** The application did not get the call. */
  async release(): Promise<void> {
    this.fail(new NoOutput("the call was not made", false));
    await this.ending.catch(() => undefined);
  }

  /** What the model reads instead of the result; null if it may read that. */
  async take(result: ToolResult): Promise<string | null> {
    if (result.isError) this.fail(new NoOutput(plainText(result.content) ?? "the tool failed", true));
    else this.report(outputOf(result));
    try {
      const end = await this.ending;
      return end.kind === "output" ? null : textOf(end);
    } catch (cause) {
      if (cause instanceof NoOutput) return null;
      return "the result came after the time limit of the call";
    }
  }
}
