import type { ModelCall } from "./public.js";

/** A response in one form for all providers. */
export interface Reading {
  readonly calls: readonly ModelCall[];
  /** The finish reason of the provider; null if there is none. */
  readonly finish: string | null;
  /** Whether there is text for a person, with calls or instead of them. */
  readonly hasText: boolean;
  /** Whether a call may have arguments that only look complete. A text of JSON that was cut off is not JSON. */
  readonly isCutOff: boolean;
}
