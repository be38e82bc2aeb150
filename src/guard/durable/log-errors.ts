import { type Block, block } from "../decide/verdict.js";
import type { BlockVerdict } from "../public.js";

/** The session belongs to another artifact, or to another role of it. */
export class ArtifactChanged extends Error {
  constructor(
    readonly required: string,
    readonly found: string,
  ) {
    super("the session began under another artifact");
    this.name = "ArtifactChanged";
  }
}

/** No guard was made for a session; `verdict` says why, as for a call. */
export class SessionRefused extends Error {
  constructor(readonly verdict: BlockVerdict) {
    super(`${verdict.message}: found ${verdict.found ?? "another"}`);
    this.name = "SessionRefused";
  }
}

/** The refusal of everything in such a session. */
export function artifactBlock({ required, found }: ArtifactChanged): Block {
  return block("artifact_changed", null, required, found);
}
