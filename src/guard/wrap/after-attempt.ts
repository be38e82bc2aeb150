import type { BlockVerdict } from "../public.js";

/**
 * The refusal of a further attempt. An earlier one was sent, so the hint must not read as if the call had not been made: who
 * believes that makes it again.
 */
export function afterAttempt(verdict: BlockVerdict, mayHaveHappened: boolean): BlockVerdict {
  const { hint, reason } = verdict;
  const earlier = mayHaveHappened
    ? "an earlier attempt was sent and may have had its effect: find out before making the call again"
    : "an earlier attempt was sent and failed without an effect; there is no further one";
  // Hints of faults say that nothing was decided.
  const isFault = reason === "store_unavailable" || reason === "store_contended" || reason === "guard_fault";
  return { ...verdict, hint: isFault || hint === undefined ? earlier : `${earlier}; ${hint}` };
}
