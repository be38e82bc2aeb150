import { isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { recordedError } from "../../guard/session/recorded-error.js";
import { type Beside, type TracedCall, type TracedSession, UnreadableTrace } from "../traced-session.js";
import { argumentsIn, errorIn, given, listAt, objectAt, textAt } from "./members.js";

const NOTHING: readonly Beside[] = [];
const STEP: readonly Beside[] = [{ kind: "step" }];

/** A text that every engine reads alike: other texts are local times of the machine, or none. */
const TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[-+]\d\d:\d\d)$/;

/** The furthest moment from 1970 that a date can be. */
const FURTHEST = 8.64e15;

/** The engine takes the 30th of February for a day of March. */
function isDay(text: string): boolean {
  const day = text.slice(0, "2026-02-30".length);
  const date = new Date(day);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

/** A time in milliseconds since 1970, or a text such as 2026-05-01T12:00:00Z. */
export function timeOf(value: Json | undefined, where: string): number | null {
  if (value === undefined) return null;
  if (typeof value === "number" && Math.abs(value) <= FURTHEST) return value;
  const time = typeof value === "string" && TIME.test(value) && isDay(value) ? Date.parse(value) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new UnreadableTrace(`${where} is no time: give milliseconds since 1970, or a text like 2026-05-01T12:00:00Z`);
}

/** The outcome of a call: a null output is an output. */
function outcomeOf(call: JsonObject): TracedCall["outcome"] {
  const error = errorIn(given(call, "error"));
  if (error !== undefined) return recordedError(error);
  return Object.hasOwn(call, "output") ? { kind: "result", output: call.output ?? null } : undefined;
}

function callOf(value: Json, where: string, stepBefore: Json | undefined): TracedCall {
  const call = objectAt(value, where);
  const step = given(call, "step");
  return {
    tool: textAt(given(call, "tool"), `${where}.tool`),
    args: argumentsIn(call, where) ?? {},
    outcome: outcomeOf(call),
    before: step !== undefined && step !== stepBefore ? STEP : NOTHING,
    at: timeOf(given(call, "at"), `${where}.at`),
  };
}

/** The calls of a list, each with the steps that begin before it. */
export function callsOf(list: readonly Json[], where: string): readonly TracedCall[] {
  let step: Json | undefined;
  return list.map((value, index) => {
    const call = callOf(value, `${where}[${index}]`, step);
    step = (isJsonObject(value) ? given(value, "step") : undefined) ?? step;
    return call;
  });
}

export function labelsOf(value: Json | undefined): readonly string[] {
  if (value === undefined) return [];
  return listAt(value, "labels").map((label, index) => textAt(label, `labels[${index}]`));
}

export function principalOf(value: Json | undefined): JsonObject | null {
  return value === undefined ? null : objectAt(value, "`principal`");
}

/** The id of a session: a text or a number. */
export function idOf(value: Json | undefined): string | null {
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}

/** A session in the form of docs/testing.md: `{ id?, principal?, labels?, calls }`. */
export function plainSession(session: JsonObject): TracedSession {
  return {
    id: idOf(given(session, "id")),
    principal: principalOf(given(session, "principal")),
    labels: labelsOf(given(session, "labels")),
    calls: callsOf(listAt(session.calls, "calls"), "calls"),
  };
}
