/** Why nothing could be recorded: the store failed or did not answer, or others kept changing the session. */
export type StoreFault = "store_unavailable" | "store_contended";

const FAULTS: Readonly<Record<StoreFault, string>> = {
  store_unavailable: "the store failed, answered something else than it was asked, or did not answer in time",
  store_contended: "others kept changing the session",
};

/** Nothing could be recorded. What the store itself threw is the `cause`; its words are not repeated, they may be private. */
export class StoreUnavailable extends Error {
  readonly reason: StoreFault;

  constructor(what: string, { reason = "store_unavailable", cause }: { reason?: StoreFault; cause?: unknown } = {}) {
    super(`${what}: ${FAULTS[reason]}`, cause === undefined ? undefined : { cause });
    this.name = "StoreUnavailable";
    this.reason = reason;
  }
}

/**
 * A call was executed, but that could not be recorded: it still counts as running. Do not repeat it; settle it under its
 * `callId` once the store is back.
 */
export class ExecutedButNotRecorded extends Error {
  readonly callId: string;
  /** What the tool answered. Not enumerable: it may be private, and errors end up in logs. */
  declare readonly output: unknown;

  constructor(callId: string, { output, cause }: { readonly output?: unknown; readonly cause?: unknown } = {}) {
    super(
      `${callId} was executed but could not be recorded; do not repeat it, settle it once the store is back`,
      cause === undefined ? undefined : { cause },
    );
    this.name = "ExecutedButNotRecorded";
    this.callId = callId;
    Object.defineProperty(this, "output", { value: output, enumerable: false });
  }
}

/** The events of the session do not fit together, so that nothing can be judged against them. */
export class BrokenSession extends Error {
  constructor(cause?: unknown) {
    super("the events of the session could not be taken in", cause === undefined ? undefined : { cause });
    this.name = "BrokenSession";
  }
}
