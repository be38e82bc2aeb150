import { REASONS } from "../../artifact/reasons.js";
import { isInstance } from "../../base/foreign-value.js";
import { type Block, block, OTHER_ARTIFACT } from "../decide/verdict.js";
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

/** Whether a thrown value is this error. */
export function isArtifactChanged(cause: unknown): cause is ArtifactChanged {
  return isInstance(ArtifactChanged, cause);
}

/** The refusal of everything in such a session. */
export function artifactBlock({ required, found }: ArtifactChanged): Block {
  return block("artifact_changed", null, required, found);
}

/** No guard was made for a session; `verdict` says why, as for a call. */
export class SessionRefused extends Error {
  readonly verdict: BlockVerdict;

  constructor({ required, found }: { readonly required: string; readonly found: string }) {
    const reason = "artifact_changed";
    const hint = OTHER_ARTIFACT;
    super(`${REASONS[reason]}; ${hint}`);
    this.name = "SessionRefused";
    this.verdict = { kind: "block", reason, message: REASONS[reason], required, found, hint };
  }
}
