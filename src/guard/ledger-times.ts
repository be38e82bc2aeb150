import type { GuardOptions } from "./public.js";
import type { LedgerOptions } from "./session/ledger.js";

const STORE_TIMEOUT_MS = 5_000;
const SETTLE_TIMEOUT_MS = 30_000;

function milliseconds(name: string, value: unknown): number {
  if (typeof value === "number" && Number.isFinite(value) && value > 0) return value;
  throw new TypeError(`\`${name}\` must be a number of milliseconds above 0`);
}

/** How long a guard waits for its store. */
export function ledgerTimes(options: GuardOptions): Omit<LedgerOptions, "log"> {
  const { storeTimeoutMs = STORE_TIMEOUT_MS, settleTimeoutMs = SETTLE_TIMEOUT_MS } = options;
  return {
    storeTimeoutMs: milliseconds("storeTimeoutMs", storeTimeoutMs),
    settleTimeoutMs: milliseconds("settleTimeoutMs", settleTimeoutMs),
  };
}
