/** One record of a stream. */
export interface StoredRecord {
  /** Its place in the stream: 1 for the first. */
  readonly revision: number;
  /** The append that wrote it. */
  readonly appendId: string;
  /** One JSON text. A store neither reads nor changes it. */
  readonly data: string;
}

/** What an append adds to one stream. */
export interface StreamWrite {
  readonly stream: string;
  /** How many records the stream holds before: it is written to only while that is so. 0 for a stream that does not exist. */
  readonly expectedRevision: number;
  /**
   * The append that wrote the last of them: it is written to only while that is so too. A stream that was deleted and begun anew
   * may have as many records. Absent for a stream that does not exist, and where it does not matter.
   */
  readonly expectedLast?: string;
  /** At least one. */
  readonly records: readonly string[];
  /** A small JSON text about the stream for `list`; it replaces the one before. */
  readonly head: string;
  /** The state after these records, so that nobody has to read those before it; it replaces the one before. */
  readonly snapshot?: string;
}

/** The state of a stream at a revision, as its writer put it into one JSON text. */
export interface Snapshot {
  readonly revision: number;
  readonly data: string;
}

/** What a store knows of a stream. */
export interface LoadedStream {
  /** How many records it holds; 0 where the stream does not exist. */
  readonly revision: number;
  readonly head: string | null;
  /** To begin with instead of what the caller knows, where there is one. */
  readonly snapshot: Snapshot | null;
  /** In order, without a gap: those after the snapshot or, where that is null, after the revision that was asked for. */
  readonly records: readonly StoredRecord[];
  /** The clock of the store in milliseconds since 1970; null where it has none of its own. */
  readonly now: number | null;
}

/** How an append ended. Whatever else happens, an error or no answer, leaves open whether it was recorded. */
export interface AppendResult {
  /** `appended`: these records stand in these streams right after the expected revisions. `conflict`: none of them does. */
  readonly kind: "appended" | "conflict";
  /** The clock of the store; null where it has none, and where a conflict or a repetition left it unsaid. */
  readonly now: number | null;
}

/** A stream in a list. */
export interface ListedStream {
  readonly stream: string;
  readonly revision: number;
  readonly head: string;
  /** When it was last written to, in milliseconds since 1970. */
  readonly updated: number;
}

/** Which streams are listed: those whose names begin with `prefix` and come after `after`, at most `limit` (100). */
export interface ListOptions {
  readonly prefix?: string;
  readonly after?: string;
  readonly limit?: number;
}

/** A stream grew. */
export interface StreamChange {
  readonly stream: string;
  readonly revision: number;
}

/**
 * Streams of records that outlive the process and may be shared by many. Names of streams have 1 to 512 bytes of UTF-8,
 * ids of appends 1 to 128, and an append has at most 5,000 records; no text holds U+0000 or half of a surrogate pair. What
 * breaks that is refused with a TypeError.
 */
export interface DurableStore {
  /** `memory`, `sqlite`, `postgres`, or the name of another. */
  readonly kind: string;
  /** Encrypt and decrypt what guards keep in it; absent where it is kept readable. */
  readonly seal?: (text: string) => string | Promise<string>;
  readonly open?: (sealed: string) => string | Promise<string>;
  /**
   * Without `after`: the latest snapshot and the records behind it. With it: the records behind that revision or, where
   * there is a much newer snapshot, that and the records behind it. All of it as of one moment.
   */
  load(stream: string, options?: { readonly after?: number }): Promise<LoadedStream>;
  /**
   * Adds to one or several streams at once: to all of them or to none. Every append has an id of its own; the same append
   * may be sent again after its answer was lost, with the same id, records and expectations, and is recorded once.
   */
  append(appendId: string, writes: readonly StreamWrite[]): Promise<AppendResult>;
  /** The first `limit` records behind a revision, including those that a snapshot replaces. */
  read(stream: string, after: number, limit: number): Promise<readonly StoredRecord[]>;
  /** In the order of the UTF-8 bytes of their names. */
  list(options?: ListOptions): Promise<readonly ListedStream[]>;
  /**
   * Calls the listener after appends to the stream, one's own and those of others, that are recorded once this has
   * answered. Several in a row may be reported as one: the revision is the latest. The function that it returns ends it.
   */
  watch(stream: string, listener: (change: StreamChange) => void): Promise<() => void>;
  /** Waits for what is under way. From now on everything else rejects. */
  close(): Promise<void>;
}
