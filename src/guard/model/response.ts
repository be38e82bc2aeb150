import type { CompiledTool } from "../../artifact/compiled.js";
import { REASONS } from "../../artifact/reasons.js";
import { show } from "../../base/wording.js";
import { membersOf, providerOf, requestBody, responseBody, Unreadable } from "./body.js";
import { canonicalFinishReason } from "./finish-reason.js";
import type { ModelProvider, ModelResponse, ResponseBlock, ResponseField, ResponseVerdict } from "./public.js";
import { readingOf } from "./read-response.js";
import type { Reading } from "./reading.js";
import { askedTool } from "./tool-choice.js";

/** The invariants of a tool on responses that call it. */
export type ResponseFormat = NonNullable<CompiledTool["response_format"]>;

/** The invariants of a tool; null if it has none, or no contract. */
export type Formats = (tool: string) => ResponseFormat | null;

interface Violation {
  readonly field: ResponseField;
  readonly required: string;
  readonly found: string;
}

/** The first field of a format that a response breaks. */
function violationOf(format: ResponseFormat, { calls, finish, hasText }: Reading): Violation | null {
  const { finish_reason: wanted, content_when_tool_calls: content, tool_calls_present: present } = format;
  if (wanted !== null && (finish === null || canonicalFinishReason(finish) !== canonicalFinishReason(wanted))) {
    const found = finish === null ? "none" : show(finish);
    return { field: "finish_reason", required: `finish reason ${show(wanted)}`, found };
  }
  if (content === "empty" && calls.length > 0 && hasText) {
    return { field: "content_when_tool_calls", required: "no text besides the tool calls", found: "text" };
  }
  if (present === true && calls.length === 0) {
    return { field: "tool_calls_present", required: "at least one tool call", found: "none" };
  }
  return null;
}

/** The arguments of a call that was cut off are those of no call that the model asked for. */
const CUT_OFF = { required: "calls that are complete", found: "a call that was cut off" };

function unreadable({ required, found }: Pick<Unreadable, "required" | "found">): ResponseBlock {
  const reason = "response_unreadable";
  const hint = "run nothing of this response; ask the model again";
  return { kind: "block", reason, message: REASONS[reason], required, found, hint };
}

/** The first refusal by the invariants of the tools that a response calls, or was asked to call. */
function refusal(reading: Reading, asked: string | null, formats: Formats): ResponseBlock | null {
  const tools = new Set([...reading.calls.map(({ tool }) => tool), ...(asked === null ? [] : [asked])]);
  for (const tool of tools) {
    const format = formats(tool);
    const violation = format === null ? null : violationOf(format, reading);
    if (format === null || violation === null) continue;
    const reason = "response_format_violated";
    const hint = `run nothing of this response; ask the model again for one with ${violation.required}`;
    return { kind: "block", reason, message: REASONS[reason], rule: { ...format.at }, tool, ...violation, hint };
  }
  return null;
}

function cutOff({ isCutOff }: Reading): ResponseBlock | null {
  return isCutOff ? unreadable(CUT_OFF) : null;
}

/** Reads a response; the calls of one that cannot be read must not be run. */
function tried(provider: ModelProvider, response: unknown, isParsed: boolean): Reading | ResponseBlock {
  try {
    return readingOf(provider, responseBody(response, isParsed));
  } catch (cause) {
    if (cause instanceof Unreadable) return unreadable(cause);
    throw cause;
  }
}

/** Judges the response of a model, before its calls are proposed. */
export function judgeResponse(
  formats: Formats,
  mode: "enforce" | "shadow" | "log-only",
  given: ModelResponse,
): ResponseVerdict {
  const { provider: name, response, request, parsed } = membersOf(given);
  const provider = providerOf(name);
  const asked = request === undefined ? null : askedTool(provider, requestBody(request, parsed === true));
  const reading = tried(provider, response, parsed === true);
  const isRead = "calls" in reading;
  const calls = isRead ? reading.calls : [];
  const refused = isRead ? (refusal(reading, asked, formats) ?? cutOff(reading)) : reading;
  if (refused === null || mode === "log-only") return { kind: "allow", calls };
  return mode === "enforce" ? refused : { kind: "allow", calls, would: refused };
}
