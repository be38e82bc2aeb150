import { foreignProperty } from "../../base/foreign-value.js";
import type { DurableStore } from "../durable-store.js";

/** Ends a watch; a store that cannot do so harms neither a decision nor the process. */
function ended(end: unknown): void {
  if (typeof end !== "function") return;
  // In a promise of ours, for what it throws and what it rejects with alike.
  new Promise((resolve) => resolve(end())).catch(() => undefined);
}

/**
 * Calls the listener with the revision that a stream has reached by what others add, undefined where the store does not say; the
 * function that it returns ends it. Without word of changes a stream is read from time to time.
 */
export function watchStream(store: DurableStore, stream: string, listener: (revision: unknown) => void): () => void {
  let isEnded = false;
  let end: unknown;
  const watching = async (): Promise<unknown> =>
    store.watch(stream, (change) => {
      if (!isEnded) listener(foreignProperty(change, "revision"));
    });
  watching().then(
    (given) => {
      if (isEnded) ended(given);
      else end = given;
    },
    () => undefined,
  );
  return () => {
    if (!isEnded) ended(end);
    isEnded = true;
  };
}
