import { foreignErrorName, foreignProperty, isInstance } from "../../base/foreign-value.js";

/** Why nothing could be recorded: the store failed or did not answer, or other writers kept changing the session. */
export type StoreFault = "store_unavailable" | "store_contended";

const FAULTS: Readonly<Record<StoreFault, string>> = {
  store_unavailable: "the store failed, returned something unexpected, or did not answer in time",
  store_contended: "other writers kept changing the session",
};

/** What is known of a failure of the store: `thrown` is what it threw, `cause` what the guard itself found wrong. */
export interface StoreFailure {
  readonly reason?: StoreFault;
  readonly thrown?: unknown;
  readonly cause?: unknown;
}

/** The part of a foreign error that may be shown: its code or its name, if that is one word. */
function wordOf(cause: unknown): string | null {
  if (cause === undefined) return null;
  for (const word of [foreignProperty(cause, "code"), foreignErrorName(cause)]) {
    if (typeof word === "string" && /^[A-Za-z0-9_]{1,40}$/.test(word)) return word;
  }
  return null;
}

/**
 * Nothing could be recorded. Of what the store threw, only the code or name is shown: the rest may hold arguments or a
 * connection string, and errors end up in logs with their causes.
 */
export class StoreUnavailable extends Error {
  readonly reason: StoreFault;
  /** The code or name of what the store threw; null if it threw nothing, or something without. */
  readonly thrown: string | null;

  constructor(what: string, { reason = "store_unavailable", thrown, cause }: StoreFailure = {}) {
    const word = wordOf(thrown);
    super(
      `${what}: ${FAULTS[reason]}${word === null ? "" : ` (${word})`}`,
      cause === undefined ? undefined : { cause },
    );
    this.name = "StoreUnavailable";
    this.reason = reason;
    this.thrown = word;
  }
}

/** Whether a thrown value is this error. */
export function isStoreUnavailable(cause: unknown): cause is StoreUnavailable {
  return isInstance(StoreUnavailable, cause);
}

/**
 * Of two failures of one attempt after the other, the one to report: that an answer did not come says less than what the store
 * said before.
 */
export function moreTelling(earlier: unknown, later: unknown): unknown {
  const isSilence = isStoreUnavailable(later) && later.reason === "store_unavailable" && later.thrown === null;
  const hasWord = isStoreUnavailable(earlier) && earlier.thrown !== null;
  return isSilence && later.cause === undefined && hasWord ? earlier : later;
}

/** Whether its caller has closed the store, which does not come back. */
export function isStoreClosed(cause: unknown): boolean {
  return isStoreUnavailable(cause) && cause.thrown === "store_closed";
}

/**
 * A call was executed, but that could not be recorded: it still counts as running. Do not repeat it; settle it under its
 * `callId` once the store is back.
 */
export class ExecutedButNotRecorded extends Error {
  readonly callId: string;
  /** The output of the tool. Not enumerable: it may be private, and errors end up in logs. */
  declare readonly output: unknown;

  constructor(
    callId: string,
    {
      output,
      cause,
      settle = "once the store is back",
    }: { readonly output?: unknown; readonly cause?: unknown; readonly settle?: string } = {},
  ) {
    super(
      `${callId} was executed but could not be recorded; do not repeat it, settle it ${settle}`,
      cause === undefined ? undefined : { cause },
    );
    this.name = "ExecutedButNotRecorded";
    this.callId = callId;
    Object.defineProperty(this, "output", { value: output, enumerable: false });
  }
}

/** The events of the session are inconsistent, so that nothing can be judged against them. */
export class BrokenSession extends Error {
  constructor(cause?: unknown) {
    super("the events of the session could not be applied", cause === undefined ? undefined : { cause });
    this.name = "BrokenSession";
  }
}
