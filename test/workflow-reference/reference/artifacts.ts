import type { Reason } from "../../../src/artifact/reasons.js";
import type { JsonObject } from "../../../src/base/json.js";
import { isJsonArguments } from "../../differential/reference/json.js";

const MOST_BYTES = 1024 * 1024;

/** Members in any fixed order and nothing between them: the length of canonical JSON is that of plain JSON. */
function bytesOf(artifacts: JsonObject): number {
  return new TextEncoder().encode(JSON.stringify(artifacts)).length;
}

/** What is wrong with the artifacts of a handoff. */
export function artifactRefusal(given: unknown, required: readonly string[]): Reason | null {
  const artifacts = given ?? {};
  if (!isJsonArguments(artifacts) || bytesOf(artifacts) > MOST_BYTES) return "handoff_artifact_invalid";
  return required.every((name) => Object.hasOwn(artifacts, name)) ? null : "handoff_artifact_missing";
}
