import type { Json } from "../../base/json.js";
import type { ToolEffects } from "../program/tool-effects.js";

/** A committed call as a precondition sees it. */
export interface PriorCall {
  /** The explicit step it was proposed in; -1 for a call that was a step of its own. */
  readonly step: number;
  /** Whether its output satisfies the precondition; null until the output arrives. */
  satisfies: boolean | null;
  /** The condition that its output failed, and what was found, of bounded length; null if it failed none. */
  miss: PriorMiss | null;
}

/** Why an output does not satisfy a precondition. */
export interface PriorMiss {
  /** The index of the condition; null if no output came. */
  readonly entry: number | null;
  readonly found: string;
}

/** An output that has not arrived: it may be anything. */
export const UNKNOWN: unique symbol = Symbol("unknown");

/** A value that may turn out so; undefined if it may be unset. */
export type Possible = Json | typeof UNKNOWN | undefined;

/** How a reservation came about; `unanswered` if its caller never learnt of it, so that the call was not sent. */
export type CallOrigin = "proposed" | "approved" | "unanswered";

/** A call between its reservation and its settlement. */
export interface Call {
  readonly id: string;
  readonly tool: ToolEffects;
  readonly args: Json;
  readonly step: number;
  status: "running" | "indeterminate";
  origin: CallOrigin;
  /** The key its caller gave it; undefined if none. */
  readonly key: string | undefined;
  /** When it was recorded; null where sessions are not stored. */
  readonly since: number | null;
  /** Blocks in a row before this call was allowed; counted again if it is released. */
  blocksBefore: number;
  /** A later call stays, so that releasing this one brings no blocks back. */
  isSuperseded: boolean;
  /** For calls committed at dispatch: what preconditions know of them until the output arrives. */
  priors: readonly PriorCall[];
  /** Its neighbours among the unsettled calls, and whether it is in their table; only `Calls` sets these. */
  before: Call | null;
  after: Call | null;
  isListed: boolean;
}
