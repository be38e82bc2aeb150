import type { JsonObject } from "../../base/json.js";
import { textAt } from "../client/body.js";

/** Calls that the provider runs, as the guard reads them. */
const OF_PROVIDER = ["web_search", "file_search", "code_interpreter", "image_generation", "mcp", "tool_search"];

/** The tool of a call that the provider has run itself; null for other items. */
export function toolOfProvider({ type, execution }: JsonObject): string | null {
  const name = typeof type === "string" && type.endsWith("_call") ? type.slice(0, -5) : "";
  if (name === "tool_search" && execution !== "server") return null;
  return OF_PROVIDER.includes(name) ? name : null;
}

/** Whether an item is a call that the application would run. */
export function isCall(item: JsonObject): boolean {
  const type = textAt(item, "type") ?? "";
  return type.endsWith("_call") && toolOfProvider(item) === null;
}
