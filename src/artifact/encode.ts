import { canonicalJson, contentHash } from "../base/canonical-json.js";
import type { Artifact, ArtifactBody } from "./compiled.js";

/** The hash of everything in an artifact but the hash itself. */
export function artifactHash(body: ArtifactBody): string {
  const { format, language, packs, workflow } = body;
  return contentHash(canonicalJson({ format, language, packs, workflow }));
}

/** Seals a compiled pack with its content hash. */
export function seal(body: ArtifactBody): Artifact {
  return { hash: artifactHash(body), ...body };
}

/** The one text of an artifact: canonical JSON and a line end, the same bytes on every machine. */
export function encodeArtifact(artifact: Artifact): string {
  return `${canonicalJson(artifact)}\n`;
}
