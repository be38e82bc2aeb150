import type { Json, JsonObject } from "../base/json.js";

/** A call with values that the authors of a pack wrote; it only makes sessions readable, so it is not part of the artifact. */
export interface ExampleCall {
  readonly tool: string;
  readonly args: JsonObject;
  /** Undefined where nobody wrote one. */
  readonly output: Json | undefined;
}

/** Calls whose values belong together, such as those of one scenario. */
export type ExampleSession = readonly ExampleCall[];

/** The examples of one pack, the most coherent first. */
export type PackExamples = readonly ExampleSession[];
