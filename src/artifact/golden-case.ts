import type { Json, JsonObject } from "../base/json.js";
import type { Place } from "./compiled-value.js";

/** A committed call before the one that a golden case is about. */
export interface HistoryCall {
  readonly at: Place;
  readonly tool: string;
  readonly args: JsonObject;
  /** Undefined where the case does not give it. */
  readonly output: Json | undefined;
}

/** The session before the call. */
export interface GivenSession {
  /** Null where the history determines the phase. */
  readonly phase: string | null;
  readonly labels: readonly string[];
  readonly bindings: ReadonlyMap<string, Json>;
  readonly principal: JsonObject | null;
  readonly history: readonly HistoryCall[];
  /** When the call is decided, in milliseconds since 1970; 0 unless the case says so. */
  readonly now: number;
}

/** The verdict that the guard must give; the reason is null where any is accepted. */
export interface ExpectedVerdict {
  readonly ok: boolean;
  readonly reason: string | null;
}

/** A reference call with the verdict it must get; it is played beforehand, so it is not part of the artifact. */
export interface GoldenCase {
  readonly at: Place;
  readonly id: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly given: GivenSession;
  readonly expected: ExpectedVerdict;
}

/** The golden cases of one pack, in the order of its files. */
export type PackGoldenCases = readonly GoldenCase[];
