import type { ModelCall } from "./public.js";

/** A response in the words that all providers share. */
export interface Reading {
  readonly calls: readonly ModelCall[];
  /** Why the model stopped, in the provider's word; null where it does not say. */
  readonly finish: string | null;
  /** Whether there is text for a person, beside calls or instead of them. */
  readonly hasText: boolean;
}
