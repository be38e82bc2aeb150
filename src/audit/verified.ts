import type { SessionEnd } from "./chain.js";
import type { Report } from "./problem.js";

/** A log that was checked, and where its sessions end. */
export interface Verified {
  readonly report: Report;
  readonly ends: readonly SessionEnd[];
}
