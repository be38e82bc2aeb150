import { isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import type { Program, Proposal } from "../program/program.js";
import type { Session } from "../session/session.js";
import type { Prepared } from "./evaluate.js";
import type { Surroundings } from "./worlds/judge-worlds.js";

const NO_LABELS: readonly string[] = Object.freeze([]);
const NO_ARGUMENTS: JsonObject = Object.freeze({});

/** The labels, listed only for an expression that reads them. */
function labelsFor({ reads }: Prepared, labels: ReadonlySet<string>): readonly string[] {
  return reads.labels ? [...labels] : NO_LABELS;
}

/** What an expression reads of a proposed call. */
export function beforeCall(
  prepared: Prepared,
  { args, tool, now }: Proposal,
  { labels }: Session,
  { principal }: Program,
): Surroundings {
  return { args, principal, labels: labelsFor(prepared, labels), tool: tool.name, now, output: null };
}

/** A call that has answered. */
export interface AnsweredCall {
  readonly args: Json;
  readonly tool: string;
  readonly labels: ReadonlySet<string>;
  /** Read only by an expression that needs it. */
  readonly now: () => number;
  readonly output: Json;
}

/** What an expression reads of a call that has answered. */
export function afterCall(prepared: Prepared, call: AnsweredCall, { principal }: Program): Surroundings {
  const { args, tool, labels, now, output } = call;
  return {
    args: isJsonObject(args) ? args : NO_ARGUMENTS,
    principal,
    labels: labelsFor(prepared, labels),
    tool,
    now: prepared.reads.now ? now() : 0,
    output,
  };
}
