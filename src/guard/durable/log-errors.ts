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

/** What helps where a guard cannot end a session under the artifact that it was moved to. */
export const KILL_MOVED =
  "the session was moved to another artifact and has ended in this guard only; end it with `contracts sessions kill`";

/** How a call is settled whose session was moved while it ran: this guard cannot. */
export const SETTLE_MOVED = { settle: "through a guard of the artifact that its session was moved to" };

/** No guard was made for a session, or it could not be ended; `verdict` says why, as for a call. */
export class SessionRefused extends Error {
  readonly verdict: BlockVerdict;

  constructor({ required, found }: { readonly required: string; readonly found: string }, hint = OTHER_ARTIFACT) {
    const reason = "artifact_changed";
    super(`${REASONS[reason]}; ${hint}`);
    this.name = "SessionRefused";
    this.verdict = { kind: "block", reason, message: REASONS[reason], required, found, hint };
  }
}
