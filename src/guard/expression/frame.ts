import type { Json, JsonObject } from "../../base/json.js";
import type { SlotReader } from "./slot-reader.js";
import type { Outcome, Value } from "./value.js";

/** The most steps of one judgement: one for each part that is evaluated, one for each item that is visited. */
export const MOST_STEPS = 100_000;

/** What an expression reads. */
export interface Input {
  readonly args: JsonObject;
  readonly principal: Json;
  readonly labels: readonly string[];
  readonly tool: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Null where there is none yet; only `ensures` reads it. */
  readonly output: Json;
  readonly slots: SlotReader;
}

/** One evaluation: its input, the variables of the macros around a part, and the steps that were taken. */
export class Frame implements Input {
  readonly args: JsonObject;
  readonly principal: Json;
  readonly labels: readonly string[];
  readonly tool: string;
  readonly now: number;
  readonly output: Json;
  readonly slots: SlotReader;
  /** Null before a macro has set one: most expressions have none. */
  locals: Value[] | null = null;
  steps = 0;

  constructor({ args, principal, labels, tool, now, output }: Omit<Input, "slots">, slots: SlotReader) {
    this.args = args;
    this.principal = principal;
    this.labels = labels;
    this.tool = tool;
    this.now = now;
    this.output = output;
    this.slots = slots;
  }

  /** The variables, for a macro that sets its own. */
  ownLocals(): Value[] {
    this.locals ??= [];
    return this.locals;
  }
}

/** Evaluates a part of an expression. */
export type Evaluate = (frame: Frame) => Outcome;

/** A part that is ready to be evaluated. */
export interface Part {
  readonly run: Evaluate;
  /** The steps that evaluating it always takes; whoever evaluates it counts them. What only sometimes runs counts its own. */
  readonly steps: number;
}
