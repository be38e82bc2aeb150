import type { Mode } from "../differential/reference/model.js";
import type { Rebuilt } from "./rebuilt.js";
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

/** What a guard shows without being asked for a verdict. */
export interface Glance {
  /** The tools that it offers, and why not the others. */
  readonly tools: unknown;
  /** Why it would refuse the call that was proposed last if that came again; null if it would not. */
  readonly refusal: string | null;
}

/** An implementation of workflows; each answer is one word, such as `allow`, or the reason of a refusal. */
export interface Side {
  perform(operation: Operation): Promise<string>;
  /** What was found when the call was refused, where that is known. */
  foundFor?(call: string): string | undefined;
  /** The state as a process sees it. */
  state(process: number): Promise<WorkflowState>;
  /** What the guard shows that an operation was done through; null if it was done through none. */
  glance(operation: Operation): Promise<Glance | null>;
  /** What was recorded leads to, where anything was. */
  rebuilt?(): Promise<Rebuilt>;
}

/** The session whose guard does an operation; undefined if none does. */
export function sessionOf(
  operation: Operation,
  calls: ReadonlyMap<string, { readonly session: string }>,
): string | undefined {
  switch (operation.op) {
    case "propose":
    case "beginStep":
    case "recordCost":
    case "killGuard":
      return operation.session;
    case "settle":
    case "acknowledge":
    case "approve":
    case "deny":
    case "resume":
      return calls.get(operation.call)?.session;
    default:
      return undefined;
  }
}

/** The answer to an operation on a call that was never allowed, or on a session that never began. */
export const SKIPPED = "skipped";
