import { DecodeFailure } from "../base/decoder.js";
import { type Artifact, artifact as artifactDecoder, FORMAT_VERSION } from "./compiled.js";
import { artifactHash, encodeArtifact } from "./encode.js";
import { danglingReference } from "./references.js";

/** Why a text is not an artifact that may be trusted. */
export type Refusal =
  | "not_json"
  | "unknown_format"
  | "malformed_artifact"
  | "dangling_reference"
  | "hash_mismatch"
  | "not_canonical";

export type DecodeResult =
  | { readonly ok: true; readonly artifact: Artifact }
  | { readonly ok: false; readonly refusal: Refusal; readonly message: string };

function refuse(refusal: Refusal, message: string): DecodeResult {
  return { ok: false, refusal, message };
}

function formatOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && "format" in value ? value.format : undefined;
}

/** Checks a parsed artifact: its format, every part of it, and that its content has the hash it names. */
export function checkArtifact(value: unknown): DecodeResult {
  const format = formatOf(value);
  if (format !== FORMAT_VERSION) {
    const found = typeof format === "number" ? `format ${format}` : "no format version";
    return refuse(
      "unknown_format",
      `the artifact has ${found}; this version reads format ${FORMAT_VERSION}: compile the pack again`,
    );
  }
  try {
    const artifact = artifactDecoder(value, "artifact");
    const dangling = danglingReference(artifact);
    if (dangling !== null) return refuse("dangling_reference", dangling);
    if (artifactHash(artifact) === artifact.hash) return { ok: true, artifact };
    return refuse(
      "hash_mismatch",
      "the content of the artifact does not match its hash: it was changed after compiling",
    );
  } catch (cause) {
    if (cause instanceof DecodeFailure) return refuse("malformed_artifact", cause.message);
    if (cause instanceof RangeError) return refuse("malformed_artifact", "the artifact is nested too deeply");
    throw cause;
  }
}

/** Reads an artifact from its text; any byte that the compiler would not write is a reason to reject it. */
export function decodeArtifact(text: string): DecodeResult {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    return refuse("not_json", "the artifact is not JSON: it was cut off or changed after compiling");
  }
  const result = checkArtifact(value);
  if (result.ok && encodeArtifact(result.artifact) !== text) {
    return refuse(
      "not_canonical",
      "the artifact is not in the spelling the compiler writes: it was changed after compiling",
    );
  }
  return result;
}
