import type { Reason } from "../../../src/artifact/reasons.js";
import type { JsonObject } from "../../../src/base/json.js";
import { isJsonArguments } from "../../differential/reference/json.js";

const MOST_BYTES = 1024 * 1024;

/** Members in any fixed order and nothing between them: the length of canonical JSON is that of plain JSON. */
function bytesOf(artifacts: JsonObject): number {
  return new TextEncoder().encode(JSON.stringify(artifacts)).length;
}

/** What is wrong with the artifacts of a handoff: first whether those that it requires are there. */
export function artifactRefusal(given: unknown, required: readonly string[]): Reason | null {
  const artifacts: unknown = given === undefined ? {} : given;
  const isThere = (name: string) => Object.hasOwn(Object(artifacts), name);
  if (!required.every(isThere)) return "handoff_artifact_missing";
  return isJsonArguments(artifacts) && bytesOf(artifacts) <= MOST_BYTES ? null : "handoff_artifact_invalid";
}
