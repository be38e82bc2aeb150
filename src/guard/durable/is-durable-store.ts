import type { DurableStore } from "../durable-store.js";
import type { GuardOptions } from "../public.js";

/** Whether a store keeps streams of records; others keep events of sessions only. */
export function isDurableStore(store: GuardOptions["store"]): store is DurableStore {
  return store !== undefined && "watch" in store && typeof store.watch === "function";
}
