import { isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import type { Steps } from "./response-path.js";
import { namedType, type Warn } from "./response-warnings.js";

/** The calls of one message in the flat shape, each with its index in the given list. */
export interface FlatCalls {
  readonly calls: readonly JsonObject[];
  readonly origins: readonly number[];
}

/** The keys that a flat call is made from; all others are passed on. */
const READ_KEYS: ReadonlySet<string> = new Set(["id", "name", "arguments", "function"]);

function holdsObject(text: string): boolean {
  try {
    const value: Json = JSON.parse(text);
    return isJsonObject(value);
  } catch (cause) {
    if (cause instanceof SyntaxError) return false;
    throw cause;
  }
}

function judgeArguments(given: Json, steps: Steps, warn: Warn): void {
  if (isJsonObject(given)) return;
  if (typeof given !== "string") warn("unreadable_arguments", steps, { found: namedType(given) });
  else if (!holdsObject(given)) warn("unreadable_arguments", steps, { found: "a string that holds none" });
}

/** Warns of what the schema rejects and the flat shape fixes. */
function judgeShape(call: JsonObject, steps: Steps, warn: Warn): void {
  const { id, name, type = "function", function: nested = null } = call;
  if (typeof name === "string") {
    if (nested !== null) warn("hybrid_tool_call", steps);
  } else if (type !== "function") warn("foreign_call_type", [...steps, "type"]);
  if (id === null) warn("null_field", [...steps, "id"]);
}

function furtherEntries(part: JsonObject, isNested: boolean): readonly [string, Json][] {
  return Object.entries(part).filter(([key]) => !READ_KEYS.has(key) && !(isNested && key === "type"));
}

function flatCall(call: JsonObject, steps: Steps, warn: Warn): JsonObject | null {
  const nested = isJsonObject(call.function) ? call.function : null;
  const inner = nested ?? {};
  const [named, other] = typeof call.name === "string" ? [call, inner] : [inner, call];
  const { name } = named;
  if (typeof name !== "string") return null;
  judgeShape(call, steps, warn);
  if (name === "") warn("empty_tool_name", steps);
  const { id = null } = call;
  const holder = (named.arguments ?? null) === null ? other : named;
  const given = holder.arguments ?? null;
  if (given !== null) judgeArguments(given, [...steps, ...(holder === inner ? ["function"] : []), "arguments"], warn);
  return {
    ...(id === null ? {} : { id }),
    name,
    ...(given === null ? {} : { arguments: given }),
    ...Object.fromEntries([inner, call].flatMap((part) => furtherEntries(part, nested !== null))),
  };
}

/** Brings calls into the flat shape; one that names no tool is dropped. */
export function flatCalls(given: readonly Json[], steps: Steps, warn: Warn): FlatCalls {
  const calls: JsonObject[] = [];
  const origins: number[] = [];
  for (const [index, item] of given.entries()) {
    const place = [...steps, index];
    const call = isJsonObject(item) ? flatCall(item, place, warn) : null;
    if (call === null) {
      warn("nameless_tool_call", place);
      continue;
    }
    calls.push(call);
    origins.push(index);
  }
  return { calls, origins };
}
