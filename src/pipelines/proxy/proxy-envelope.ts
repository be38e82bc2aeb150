import { parseJson } from "../wire/parse-json.js";
import { type Attempt, attemptError } from "./proxy-error.js";

function malformed(attempt: Attempt, status: number, what: string) {
  return attemptError(attempt, `the reply of the proxy ${what}`, { status, code: "ERR_MALFORMED_RESPONSE" });
}

/** The response in the envelope, unchanged: text that looks like JSON stays text. The rest of the envelope is dropped. */
export function unwrapEnvelope(bytes: Uint8Array, status: number, attempt: Attempt): unknown {
  const envelope = parseJson(bytes);
  if (envelope === undefined) throw malformed(attempt, status, "is not JSON");
  if (typeof envelope !== "object" || envelope === null || Array.isArray(envelope)) {
    throw malformed(attempt, status, "is not a JSON object");
  }
  const source: unknown = Reflect.get(envelope, "source");
  if (source === "error" || source === "transport_error") {
    // No status: a 200 would mean that the tool answered, and it did not.
    const answered = source === "error" ? { answered: true } : {};
    throw attemptError(attempt, `the proxy answered with source \`${source}\``, { source, code: source, ...answered });
  }
  if (!Object.hasOwn(envelope, "response")) throw malformed(attempt, status, "has no `response`");
  return Reflect.get(envelope, "response");
}
