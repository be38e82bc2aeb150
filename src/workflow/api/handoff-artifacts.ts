import { canonicalJson } from "../../base/canonical-json.js";
import { isJsonObject, type JsonObject } from "../../base/json.js";
import { plainJson } from "../../guard/values/plain-json.js";
import { type BroughtArtifacts, MOST_ARTIFACT_BYTES } from "../rules/handoff-refusal.js";

/** The artifacts of a handoff, copied; empty where they are refused. */
export interface CopiedArtifacts extends BroughtArtifacts {
  readonly value: JsonObject;
}

function namesIn(given: unknown): ReadonlySet<string> {
  try {
    return new Set(typeof given === "object" && given !== null ? Object.keys(given) : []);
  } catch {
    // An object of the caller whose members cannot be listed has none that could be carried.
    return new Set();
  }
}

function problemOf(value: JsonObject): string | null {
  const bytes = Buffer.byteLength(canonicalJson(value));
  return bytes <= MOST_ARTIFACT_BYTES ? null : `${bytes} bytes`;
}

/** Copies what a handoff brings before anything is awaited: later changes of the caller must not change what is recorded. */
export function copiedArtifacts(given: unknown): CopiedArtifacts {
  const plain = plainJson(given === undefined ? {} : given);
  if (!plain.ok) return { value: {}, names: namesIn(given), problem: plain.what };
  if (!isJsonObject(plain.value)) return { value: {}, names: new Set(), problem: "no JSON object" };
  return { value: plain.value, names: new Set(Object.keys(plain.value)), problem: problemOf(plain.value) };
}
