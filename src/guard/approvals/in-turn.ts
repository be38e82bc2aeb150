import type { Verdict } from "../public.js";
import { within } from "../wrap/within.js";

/** How long a change of the session may go unnoticed. */
const POLL_MS = 500;

/** Calls a listener after every change; the function that it returns ends that. */
export type Changes = (listener: () => void) => () => void;

/** Whether a call that may be resumed has to wait, because another call waits for an approval. */
export function isPaused(verdict: { readonly kind: string; readonly reason?: string }): boolean {
  return verdict.kind === "block" && verdict.reason === "session_paused";
}

/** The verdict on a call that was approved, once no other call waits for an approval. */
export async function inTurn(resume: () => Promise<Verdict>, changes: Changes): Promise<Verdict> {
  let verdict = await resume();
  while (isPaused(verdict)) {
    let stop: () => void = () => undefined;
    const changed = new Promise<void>((resolve) => {
      stop = changes(resolve);
    });
    try {
      // Asked before the wait: something may have changed before it was watched.
      verdict = await resume();
      if (isPaused(verdict)) await within(POLL_MS, changed);
    } finally {
      stop();
    }
  }
  return verdict;
}

/** The verdict that follows from an approval, decided again while others keep being faster and there is time. */
export async function untilRecorded<T extends { readonly kind: string; readonly reason?: string }>(
  approve: () => Promise<T>,
  isInTime: () => boolean,
): Promise<T> {
  for (;;) {
    const verdict = await approve();
    if (verdict.reason !== "store_contended" || !isInTime()) return verdict;
  }
}
