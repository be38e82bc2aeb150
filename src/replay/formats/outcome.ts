import { isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import type { Outcome } from "../../guard/session/outcome.js";
import { given } from "./members.js";

type ErrorOutcome = Outcome & { readonly kind: "error" };

function booleanOf(value: Json | undefined): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function ofFields(error: JsonObject): ErrorOutcome {
  const [sent, answered] = [booleanOf(given(error, "sent")), booleanOf(given(error, "answered"))];
  const given_status = given(error, "status");
  const status = typeof given_status === "number" && Number.isInteger(given_status) ? given_status : undefined;
  const says = sent !== undefined || answered !== undefined || status !== undefined;
  return {
    kind: "error",
    sent,
    answered: says ? answered : true,
    status,
    code: textOf(given(error, "code")),
    message: textOf(given(error, "message")),
  };
}

/**
 * How a call ended whose record has an error. An error that was recorded as the answer to a call is the tool's own, which proves that
 * the call did not happen; with a `status`, `sent` or `answered` of its own, those decide.
 */
export function errorOutcome(error: Json): Outcome {
  if (isJsonObject(error)) return ofFields(error);
  const message = typeof error === "string" ? error : JSON.stringify(error);
  return { kind: "error", sent: undefined, answered: true, status: undefined, code: undefined, message };
}

/** How a call ended whose record has an output. */
export function resultOutcome(output: Json): Outcome {
  return { kind: "result", output };
}
