import { isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { plainJson } from "../values/plain-json.js";
import type { Outcome } from "./outcome.js";

type ErrorOutcome = Outcome & { readonly kind: "error" };

function member(error: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(error, name) ? error[name] : undefined;
}

function ofType<T extends "boolean" | "string">(
  value: Json | undefined,
  type: T,
): (Json & { boolean: boolean; string: string }[T]) | undefined {
  return typeof value === type ? (value as never) : undefined;
}

/** An HTTP status; logs write it as a number or as a text. Other words, such as "failed", are the tool's own. */
function statusOf(status: Json | undefined): number | undefined {
  if (typeof status === "string" && /^[1-5][0-9]{2}$/.test(status)) return Number(status);
  return typeof status === "number" && Number.isInteger(status) ? status : undefined;
}

function ofFields(error: JsonObject): ErrorOutcome {
  const [sent, answered] = [ofType(member(error, "sent"), "boolean"), ofType(member(error, "answered"), "boolean")];
  const status = statusOf(member(error, "status"));
  const says = sent !== undefined || answered !== undefined || status !== undefined;
  const [code, message] = [ofType(member(error, "code"), "string"), ofType(member(error, "message"), "string")];
  return { kind: "error", sent, answered: says ? answered : true, status, code, message };
}

/** The text of an error that is none; what is nested too deeply to be written has none. */
function textOf(error: Json): string | undefined {
  if (typeof error === "string") return error;
  const plain = plainJson(error);
  return plain.ok ? JSON.stringify(plain.value) : undefined;
}

/**
 * How a call ended that was recorded, or written down, with an error. An error that stands where an answer would is the tool's own,
 * which proves that the call did not happen; with a `status`, `sent` or `answered` of its own, those decide.
 */
export function recordedError(error: Json): Outcome {
  if (isJsonObject(error)) return ofFields(error);
  return { kind: "error", sent: undefined, answered: true, status: undefined, code: undefined, message: textOf(error) };
}
