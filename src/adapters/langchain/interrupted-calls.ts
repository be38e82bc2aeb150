import { foreignProperty } from "../../base/foreign-value.js";
import type { ToolResult } from "./framework.js";

/** Executes a tool once; after an interrupt it is executed again, from its beginning. */
export type Attempt = (args: unknown, signal: AbortSignal) => Promise<ToolResult>;

/** Whether an error is how a graph stops, or goes elsewhere, and none of the tool. */
export function leavesGraph(cause: unknown): boolean {
  return foreignProperty(cause, "is_bubble_up") === true;
}

/** One call, across the interrupts of its tool. It ends with its result, and with each interrupt for the time being. */
class OpenCall {
  private attempt: Attempt;
  private leave: (cause: unknown) => void = () => {};
  private goOn: (attempt: Attempt) => void = () => {};
  private end: Promise<ToolResult> | null = null;

  constructor(attempt: Attempt) {
    this.attempt = attempt;
  }

  /** Runs until the call ends, or its tool is interrupted. */
  async until(run: (execute: Attempt) => Promise<ToolResult>): Promise<ToolResult> {
    const left = new Promise<never>((_, reject) => {
      this.leave = reject;
    });
    this.end ??= run((args, signal) => this.execute(args, signal));
    return Promise.race([this.end, left]);
  }

  again(attempt: Attempt): void {
    this.goOn(attempt);
  }

  private async execute(args: unknown, signal: AbortSignal): Promise<ToolResult> {
    for (;;) {
      try {
        return await this.attempt(args, signal);
      } catch (cause) {
        if (!leavesGraph(cause)) throw cause;
        const resumed = new Promise<Attempt>((resolve) => {
          this.goOn = resolve;
        });
        this.leave(cause);
        this.attempt = await resumed;
      }
    }
  }
}

/** The calls whose tools wait for their graph to be resumed. Each stays one call, whose time goes on. */
export class InterruptedCalls {
  private readonly open = new Map<string, OpenCall>();

  async run(id: string, attempt: Attempt, start: (execute: Attempt) => Promise<ToolResult>): Promise<ToolResult> {
    const known = this.open.get(id);
    const call = known ?? new OpenCall(attempt);
    this.open.set(id, call);
    const running = call.until(async (execute) => {
      try {
        return await start(execute);
      } finally {
        this.open.delete(id);
      }
    });
    if (known !== undefined) call.again(attempt);
    return running;
  }
}
