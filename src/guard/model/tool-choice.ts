import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { member } from "./body.js";
import type { ModelProvider } from "./public.js";

function unreadable(): never {
  throw new TypeError("`tool_choice` of the request has no shape that the provider takes");
}

function nameIn(value: Json | undefined): string {
  const name = isJsonObject(value) ? member(value, "name") : undefined;
  return typeof name === "string" ? name : unreadable();
}

/** The name in a choice or an entry of one: next to `type`, as in the responses API, or in a member named like the type. */
function namedFunction(choice: JsonObject, type: "function" | "custom"): string {
  return member(choice, "name") === undefined ? nameIn(member(choice, type)) : nameIn(choice);
}

/** The only tool of a list, if one must be chosen; null otherwise. */
function onlyAllowed(choice: JsonObject): string | null {
  const nested = member(choice, "allowed_tools");
  const allowed = isJsonObject(nested) ? nested : choice;
  const tools = member(allowed, "tools");
  if (!isJsonList(tools)) return unreadable();
  const [first] = tools;
  if (member(allowed, "mode") !== "required" || tools.length !== 1 || !isJsonObject(first)) return null;
  const type = member(first, "type");
  return type === "function" || type === "custom" ? namedFunction(first, type) : null;
}

function openAiChoice(choice: JsonObject): string | null {
  const type = member(choice, "type");
  if (type === "function" || type === "custom") return namedFunction(choice, type);
  if (type === "allowed_tools") return onlyAllowed(choice);
  // Tools that the provider runs itself have a type and no contract.
  return typeof type === "string" ? null : unreadable();
}

function anthropicChoice(choice: JsonObject): string | null {
  const type = member(choice, "type");
  if (type === "tool") return nameIn(choice);
  return typeof type === "string" ? null : unreadable();
}

/** The tool that a request asks for by name; null if it leaves the choice to the model. */
export function askedTool(provider: ModelProvider, request: JsonObject): string | null {
  const choice = member(request, "tool_choice");
  if (isJsonObject(choice)) return provider === "openai" ? openAiChoice(choice) : anthropicChoice(choice);
  if (choice !== undefined && choice !== null && (typeof choice !== "string" || provider === "anthropic")) unreadable();
  // The older form of `tool_choice`; a text there names no function.
  const old = provider === "openai" ? member(request, "function_call") : undefined;
  return isJsonObject(old) ? nameIn(old) : null;
}
