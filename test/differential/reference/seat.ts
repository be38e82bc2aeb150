import type { Reason } from "../../../src/artifact/reasons.js";
import type { CallText } from "./history.js";

/** What a workflow says about one of its sessions; a session without a workflow has no seat. */
export interface Seat {
  /** Why nothing new may happen in the session: killed, closed, asked to cancel, or the workflow was killed. */
  ended(): Reason | null;
  /** Why the limits of the workflow allow no further call; a call inside an open step makes no further step. */
  callLimit(): Reason | null;
  /** Why the limits of the workflow allow no further step. */
  stepLimit(): Reason | null;
  /** Why a shared resource cannot be touched by the call now. */
  conflict(call: CallText): Reason | null;
}
