import { isRecord, type JsonRecord } from "./json.js";
import type { SoftWarning } from "./soft-warning.js";

/** A transcript as the platform keeps it. */
export interface Ingested {
  readonly messages: readonly JsonRecord[] | null;
  readonly softWarnings: readonly SoftWarning[];
}

const ROLES: ReadonlySet<unknown> = new Set(["system", "user", "assistant", "tool"]);

function isAbsentOr(value: unknown, isFine: (value: unknown) => boolean): boolean {
  return value === undefined || isFine(value);
}

const isText = (value: unknown): boolean => typeof value === "string";

function nameOf(call: unknown): string | null {
  if (!isRecord(call)) return null;
  const nested = isRecord(call.function) ? call.function.name : undefined;
  const name = typeof call.name === "string" ? call.name : nested;
  return typeof name === "string" ? name : null;
}

/** A call with a name is sound in one of the two shapes, never in both at once. */
function isSoundCall(call: unknown): boolean {
  if (!isRecord(call) || nameOf(call) === null) return true;
  const isFlat = typeof call.name === "string";
  const isNested =
    isRecord(call.function) &&
    typeof call.function.name === "string" &&
    isAbsentOr(call.type, (type) => type === "function");
  return isFlat !== isNested && isAbsentOr(call.id, isText);
}

function isSoundMessage(message: unknown): message is JsonRecord {
  if (!isRecord(message) || !ROLES.has(message.role)) return false;
  const { content, tool_call_id, tool_calls, thinking } = message;
  return (
    isAbsentOr(content, (value) => isText(value) || Array.isArray(value) || value === null) &&
    isAbsentOr(tool_call_id, isText) &&
    isAbsentOr(tool_calls, (calls) => Array.isArray(calls) && calls.every(isSoundCall)) &&
    isAbsentOr(thinking, (blocks) => Array.isArray(blocks) && blocks.every(isRecord))
  );
}

function flatCall(call: JsonRecord, name: string): JsonRecord {
  const place = typeof call.name !== "string" && isRecord(call.function) ? call.function : call;
  return {
    ...(call.id === undefined ? {} : { id: call.id }),
    name,
    ...(place.arguments === undefined ? {} : { arguments: place.arguments }),
  };
}

/** Keeps the three fields that are read later, and drops calls that name no tool. */
function flattened(message: JsonRecord, path: string, warn: (warning: SoftWarning) => void): JsonRecord {
  if (!Array.isArray(message.tool_calls)) return message;
  const calls: readonly unknown[] = message.tool_calls;
  const kept = calls.flatMap((call, index) => {
    const name = nameOf(call);
    if (isRecord(call) && name !== null) return [flatCall(call, name)];
    warn({ code: "tool_call_without_name", path: `${path}.tool_calls[${index}]` });
    return [];
  });
  return { ...message, tool_calls: kept };
}

function callIdsOf(message: JsonRecord): readonly unknown[] {
  const calls: readonly unknown[] = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  return message.role === "assistant" ? calls.map((call) => (isRecord(call) ? call.id : undefined)) : [];
}

/** An answer of a tool belongs to a call that an assistant made before it. */
function unmatchedAnswers(messages: readonly JsonRecord[]): readonly SoftWarning[] {
  const made = new Set<unknown>();
  return messages.flatMap((message, index) => {
    for (const id of callIdsOf(message)) made.add(id);
    const isMatched = message.role !== "tool" || (isText(message.tool_call_id) && made.has(message.tool_call_id));
    return isMatched ? [] : [{ code: "tool_call_id_unmatched" as const, path: `messages[${index}].tool_call_id` }];
  });
}

/** Takes a transcript in; one bad message spoils all of it, the harshest reading of "dropped to null". */
export function ingestMessages(value: unknown): Ingested {
  if (value === undefined || value === null)
    return { messages: null, softWarnings: [{ code: "messages_missing", path: "messages" }] };
  if (!Array.isArray(value)) return malformed("messages");
  const given: readonly unknown[] = value;
  const bad = given.findIndex((message) => !isSoundMessage(message));
  if (bad !== -1) return malformed(`messages[${bad}]`);
  const softWarnings: SoftWarning[] = [];
  const messages = given
    .filter(isSoundMessage)
    .map((message, index) => flattened(message, `messages[${index}]`, (warning) => softWarnings.push(warning)));
  return { messages, softWarnings: [...softWarnings, ...unmatchedAnswers(messages)] };
}

function malformed(path: string): Ingested {
  return { messages: null, softWarnings: [{ code: "messages_malformed", path }] };
}

function hasCharacters(text: unknown): boolean {
  return typeof text === "string" && text.trim() !== "";
}

/** Whether a rich transcript can be graded: an assistant said something, not only called tools. */
export function hasAssistantText(messages: readonly JsonRecord[] | null): boolean {
  return (messages ?? []).some(({ role, content }) => {
    if (role !== "assistant") return false;
    if (!Array.isArray(content)) return hasCharacters(content);
    return content.some((part) => isRecord(part) && part.type === "text" && hasCharacters(part.text));
  });
}
