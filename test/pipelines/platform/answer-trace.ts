import type { ServerResponse } from "node:http";
import { bodyRefusal, doorRefusal } from "./admission.js";
import { type ProxyBooks, refuse } from "./proxy-books.js";
import type { Received } from "./receive.js";
import { type Refusal, refusal } from "./refusal.js";
import type { OpenRun } from "./run.js";
import { sendJson } from "./send-json.js";

const EVENT_TYPES: ReadonlySet<string> = new Set([
  "assistant_message",
  "thinking",
  "system_prompt",
  "custom",
  "handoff",
  "subagent_message",
  "subagent_final",
]);

/** An event of the side channel as it arrived. */
interface TraceRequest extends Received {
  readonly eventType: string;
}

function refusalOf(run: OpenRun, request: TraceRequest): Refusal | null {
  const refused = doorRefusal(run, request) ?? bodyRefusal(request);
  if (refused !== null) return refused;
  if (!EVENT_TYPES.has(request.eventType)) return refusal("trace_event_type_invalid");
  return run.traceMode === "fail" ? refusal("trace_failed") : null;
}

/** Answers an event of the side channel; it takes nothing from the share of tool calls. */
export function answerTrace(
  books: ProxyBooks,
  run: OpenRun,
  { request, response }: { readonly request: TraceRequest; readonly response: ServerResponse },
): void {
  const refused = refusalOf(run, request);
  const isAccepted = refused === null && run.traceMode === "accept";
  const sequence = isAccepted ? run.traces.filter((trace) => trace.sequence !== null).length + 1 : null;
  run.traces.push({ ...request, sequence });
  if (refused !== null) refuse(books, response, refused);
  else if (isAccepted) sendJson(response, 200, { accepted: true, sequence, event_type: request.eventType });
}
