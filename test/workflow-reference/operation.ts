import type { Mode } from "../differential/reference/model.js";
import type { WorkflowState } from "./reference/model.js";

/** Which of several processes does it; the first unless told. */
interface Somewhere {
  readonly process?: number;
}

interface Beginning extends Somewhere {
  readonly session: string;
  readonly role: string;
  readonly mode?: Mode;
  /** Checkpoints deny without one. */
  readonly approver?: "manual";
}

/** One thing done to a workflow. Sessions have the ids they are begun with; calls are named by whoever proposes them. */
export type Operation =
  | ({ readonly op: "start" } & Beginning)
  | ({ readonly op: "handoff"; readonly from: string; readonly artifacts?: unknown } & Beginning)
  | ({
      readonly op: "propose";
      readonly session: string;
      readonly call: string;
      readonly tool: string;
      readonly args?: unknown;
      readonly callKey?: string;
    } & Somewhere)
  | ({ readonly op: "settle"; readonly call: string; readonly outcome: unknown } & Somewhere)
  | ({ readonly op: "acknowledge"; readonly call: string; readonly happened: boolean } & Somewhere)
  | ({ readonly op: "approve" | "deny" | "resume"; readonly call: string } & Somewhere)
  | ({ readonly op: "beginStep" | "killGuard"; readonly session: string } & Somewhere)
  | ({ readonly op: "close" | "attach"; readonly session: string } & Somewhere)
  | ({ readonly op: "recordCost"; readonly session: string; readonly usd: number } & Somewhere)
  | ({
      readonly op: "kill";
      readonly scope: unknown;
      readonly session?: string;
      readonly operator?: string;
    } & Somewhere)
  /** The process is gone with all guards in it; its calls stay as they are. */
  | ({ readonly op: "crash" } & Somewhere)
  | ({ readonly op: "wait"; readonly seconds: number } & Somewhere);

/** Operations that a second process does before the first has its answer. */
export interface Together {
  readonly op: "together";
  readonly operations: readonly Operation[];
}

export type Move = Operation | Together;

/** An implementation of workflows; each answer is one word, such as `allow`, or the reason of a refusal. */
export interface Side {
  perform(operation: Operation): Promise<string>;
  /** What was found when the call was refused, where that is known. */
  foundFor?(call: string): string | undefined;
  /** The state as a process sees it. */
  state(process: number): Promise<WorkflowState>;
}

/** The answer to an operation on a call that was never allowed, or on a session that never began. */
export const SKIPPED = "skipped";
