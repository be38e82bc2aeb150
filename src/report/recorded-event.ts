import type { Place } from "../artifact/compiled-value.js";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../base/json.js";

/** The session of a line, and its role; both are optional. */
interface Origin {
  readonly session: string;
  readonly role: string | null;
}

/** What a line reports about the use of a pack. */
export type RecordedEvent = Origin &
  (
    | {
        readonly kind: "decision";
        readonly tool: string | null;
        readonly verdict: "allow" | "block" | "approval_required";
        readonly reason: string | null;
        /** The rule of the refusal, or of the one that shadow mode did not enforce. */
        readonly rule: Place | null;
        readonly callId: string | null;
        /** The reason that shadow mode did not enforce, and the checkpoints for which it did not ask. */
        readonly would: string | null;
        readonly rules: readonly Place[];
      }
    | {
        readonly kind: "settled";
        readonly callId: string;
        readonly isCommitted: boolean;
        /** The rule that the output broke. */
        readonly reason: string | null;
        readonly rule: Place | null;
      }
    /** `breaker`: the circuit breaker that ended the session; null if a caller did, or if the line does not say. */
    | { readonly kind: "killed"; readonly breaker: "blocks" | "errors" | null }
    | { readonly kind: "approval_requested"; readonly tool: string; readonly rules: readonly Place[] }
    | { readonly kind: "other" }
  );

const VERDICTS = ["allow", "block", "approval_required"] as const;

function text(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function place(value: Json | undefined): Place | null {
  if (!isJsonObject(value)) return null;
  const { file, line } = value;
  return typeof file === "string" && typeof line === "number" ? { file, line } : null;
}

function places(value: Json | undefined): readonly Place[] {
  return isJsonList(value) ? value.map(place).filter((rule) => rule !== null) : [];
}

function parsed(line: string): Json | undefined {
  try {
    const value: Json = JSON.parse(line);
    return value;
  } catch (cause) {
    // A line that is not JSON is not an event; the caller counts those.
    return cause instanceof SyntaxError ? undefined : null;
  }
}

function decision(line: JsonObject, origin: Origin): RecordedEvent | null {
  const verdict = VERDICTS.find((kind) => kind === line.kind);
  if (verdict === undefined) return null;
  const { tool, reason, rule, callId, would, rules } = line;
  return {
    ...origin,
    kind: "decision",
    tool: text(tool),
    verdict,
    reason: text(reason),
    rule: place(rule),
    callId: text(callId),
    would: text(would),
    rules: places(rules),
  };
}

function settled(line: JsonObject, origin: Origin, callId: string): RecordedEvent {
  const { accepted, ending, reason, rule } = line;
  return {
    ...origin,
    kind: "settled",
    callId,
    isCommitted: accepted === true && ending === "committed",
    reason: text(reason),
    rule: place(rule),
  };
}

function killed({ cause }: JsonObject, origin: Origin): RecordedEvent {
  const breaker = cause === "consecutive_blocks" ? "blocks" : cause === "consecutive_errors" ? "errors" : null;
  return { ...origin, kind: "killed", breaker };
}

/** An event as a guard passes it to listeners, recognised by its fields; null for anything else. */
export function recordedEvent(line: string): RecordedEvent | null {
  const value = parsed(line);
  if (!isJsonObject(value)) return null;
  const origin = { session: text(value.session) ?? "", role: text(value.role) };
  if ("kind" in value && "tool" in value) {
    // A verdict that was given again is no further call.
    return value.repeated === true ? { ...origin, kind: "other" } : decision(value, origin);
  }
  const callId = text(value.callId);
  if (callId !== null && typeof value.accepted === "boolean") return settled(value, origin, callId);
  const tool = text(value.tool);
  if (tool !== null && isJsonList(value.rules)) {
    return { ...origin, kind: "approval_requested", tool, rules: places(value.rules) };
  }
  if ("why" in value) return killed(value, origin);
  return "approvalId" in value ? { ...origin, kind: "other" } : null;
}
