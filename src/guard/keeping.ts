import type { Artifact } from "../artifact/compiled.js";
import type { GuardOptions } from "./public.js";
import type { Keeping } from "./session/ledger.js";

const STORE_TIMEOUT_MS = 5_000;
const SETTLE_TIMEOUT_MS = 30_000;

function milliseconds(name: string, value: unknown): number {
  if (typeof value === "number" && Number.isFinite(value) && value > 0) return value;
  throw new TypeError(`\`${name}\` is a number of milliseconds above 0`);
}

/** Where and how the session of a guard is kept. */
export function keepingOf(options: GuardOptions, sessionId: string): Keeping {
  const { store = null, storeTimeoutMs = STORE_TIMEOUT_MS, settleTimeoutMs = SETTLE_TIMEOUT_MS } = options;
  return {
    sessionId,
    store,
    storeTimeoutMs: milliseconds("storeTimeoutMs", storeTimeoutMs),
    settleTimeoutMs: milliseconds("settleTimeoutMs", settleTimeoutMs),
  };
}

/** A guard does not start on a workflow that nothing enforces, unless its maker says to know that. */
export function checkWorkflow({ workflow }: Artifact, given: unknown): void {
  if (given !== undefined && given !== "unenforced") throw new TypeError('`workflow` is "unenforced"');
  if (workflow === null || given === "unenforced") return;
  throw new TypeError(
    "the artifact has a workflow, which no guard enforces yet: handoffs, workflow limits, shared resources, kill scopes and " +
      'close policies; pass `workflow: "unenforced"` to guard the sessions of its roles without them',
  );
}
