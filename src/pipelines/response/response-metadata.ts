import { isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { metadataBreach } from "./response-shape.js";
import { namedType, type Warn } from "./response-warnings.js";

const TOKEN_COUNTS = ["total_input_tokens", "total_output_tokens"] as const;

/** Metadata in the form that the platform stores, unknown keys included; null if it is not an object. */
export function settleMetadata(given: Json, warn: Warn): JsonObject | null {
  const breach = metadataBreach(given);
  if (breach !== null) warn("malformed_metadata", ["metadata"], { found: `${breach.found}; dropped` });
  if (breach !== null || !isJsonObject(given)) return null;
  for (const key of TOKEN_COUNTS) {
    const count = given[key] ?? null;
    if (count === null || Number.isInteger(count)) continue;
    const found = typeof count === "number" ? "a fraction" : namedType(count);
    warn("token_count_not_integer", ["metadata", key], { found });
  }
  return given;
}
