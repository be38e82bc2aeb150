import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { flatCalls } from "./response-calls.js";
import type { Steps } from "./response-path.js";
import { type Breach, messageBreach } from "./response-shape.js";
import { namedType, type Warn } from "./response-warnings.js";

/** The optional fields for which the schema rejects null. */
const NEVER_NULL: ReadonlySet<string> = new Set(["tool_call_id", "tool_calls", "thinking"]);

interface Tidied {
  readonly message: Json;
  /** The index of each call before nameless ones were dropped. */
  readonly origins: readonly number[];
}

/** An empty field is left out: the platform may treat null as a fault. */
function isOmitted(key: string, value: Json): boolean {
  if (value === null) return key === "content" || NEVER_NULL.has(key);
  return key === "tool_calls" && isJsonList(value) && value.length === 0;
}

function tidyMessage(item: Json, steps: Steps, warn: Warn): Tidied {
  if (!isJsonObject(item)) return { message: item, origins: [] };
  const flat = isJsonList(item.tool_calls) ? flatCalls(item.tool_calls, [...steps, "tool_calls"], warn) : null;
  const entries: [string, Json][] = [];
  for (const [key, value] of Object.entries(item)) {
    const settled = key === "tool_calls" && flat !== null ? flat.calls : value;
    if (value === null && NEVER_NULL.has(key)) warn("null_field", [...steps, key]);
    if (!isOmitted(key, settled)) entries.push([key, settled]);
  }
  return { message: Object.fromEntries(entries), origins: flat?.origins ?? [] };
}

/** The place of a breach in the given list: dropped calls moved the others up. */
function originalSteps({ steps }: Breach, origins: readonly number[]): Steps {
  const [field, index, ...rest] = steps;
  if (field !== "tool_calls" || typeof index !== "number") return steps;
  return [field, origins[index] ?? index, ...rest];
}

function callIds(messages: readonly JsonObject[]): ReadonlySet<Json> {
  const ids = new Set<Json>();
  for (const { role, tool_calls: calls } of messages) {
    if (role !== "assistant" || !isJsonList(calls)) continue;
    for (const call of calls) if (isJsonObject(call) && call.id !== undefined) ids.add(call.id);
  }
  return ids;
}

/** Warns of what the schema accepts and the documentation does not: calls and answers that do not match. */
function judgeLinks(messages: readonly JsonObject[], warn: Warn): void {
  const ids = callIds(messages);
  for (const [index, { role, tool_calls: calls, tool_call_id: id }] of messages.entries()) {
    const steps = ["messages", index];
    if (role !== "assistant" && calls !== undefined) warn("misplaced_tool_calls", [...steps, "tool_calls"]);
    if (role !== "tool") continue;
    if (id === undefined) warn("missing_tool_call_id", [...steps, "tool_call_id"]);
    else if (!ids.has(id)) warn("unknown_tool_call_id", [...steps, "tool_call_id"]);
  }
}

/** Brings messages into the form that the platform stores; null if one of them breaks the schema. */
export function settleMessages(given: Json, warn: Warn): readonly JsonObject[] | null {
  if (!isJsonList(given)) {
    warn("malformed_messages", ["messages"], { expected: "expected a list", found: `${namedType(given)}; dropped` });
    return null;
  }
  const messages: JsonObject[] = [];
  let first: Breach | null = null;
  for (const [index, item] of given.entries()) {
    const { message, origins } = tidyMessage(item, ["messages", index], warn);
    const breach = messageBreach(message);
    if (breach !== null) first ??= { ...breach, steps: ["messages", index, ...originalSteps(breach, origins)] };
    else if (isJsonObject(message)) messages.push(message);
  }
  if (first === null) {
    judgeLinks(messages, warn);
    return messages;
  }
  const broken = given.length - messages.length;
  const fate = `; all messages are dropped${broken === 1 ? "" : `, ${broken} of them break the schema`}`;
  warn("malformed_messages", first.steps, { expected: `expected ${first.expected}`, found: `${first.found}${fate}` });
  return null;
}
