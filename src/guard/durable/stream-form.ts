import type { Json } from "../../base/json.js";
import type { DurableStore, StreamWrite } from "../durable-store.js";
import type { EventReader } from "./log-record.js";
import type { Note } from "./note.js";
import type { Sealing } from "./sealing.js";
import type { StoreClock } from "./store-clock.js";

/** What the records of a stream are about: events of type `E` that lead to states of type `S`. */
export interface StreamForm<E, S> {
  readonly subject: "session" | "workflow";
  readonly stream: string;
  /** The hash that the first record continues. It names what the stream is about, also where the content of records is sealed. */
  readonly first: string;
  /** The hash of the artifact that all of it is judged by. */
  readonly artifact: string;
  readonly read: EventReader<E>;
  /** Rejects a note that belongs to another stream. */
  checkNote(note: Note): void;
  /** The text of the head at a state. */
  head(after: S): string;
  /** A state as JSON, and the snapshot with its text, which may be sealed. */
  stateJson(after: S): Json;
  snapshot(state: string, hash: string): string;
  /** Reads a snapshot; its state is opened and parsed later. */
  base(data: string): StoredBase<S>;
}

/** A snapshot whose state was not read yet: it may be sealed. */
export interface StoredBase<S> {
  /** Of the record that it was written with. */
  readonly hash: string;
  readonly artifact: string;
  readonly state: string;
  decode(state: unknown): S;
}

/** Where a chain is, and who writes to it. */
export interface ChainParts {
  readonly store: DurableStore;
  readonly guardId: string;
  readonly clock: StoreClock;
  readonly sealing: Sealing | null;
  readonly writesSnapshots?: boolean;
}

/** Something that was recorded, and the append that recorded it. */
export interface ChainEntry<E> {
  readonly event: E | null;
  readonly appendId: string | null;
}

/** What a chain has beyond what was read of it; a state to begin with, or null to go on with the known one. */
export interface ChainPage<E, S> {
  readonly base: S | null;
  readonly entries: readonly ChainEntry<E>[];
}

/** What one decision adds, and the state after it. */
export interface ChainStep<E, S> {
  /** Of the append that is to record it. */
  readonly id: string;
  readonly events: readonly E[];
  readonly note: Note | null;
  readonly at?: number | null;
  readonly after: S;
  /** The state after it is recorded with it. */
  readonly isBase?: boolean;
}

/** An addition in the form of the store, the append that is to record it, and the hash of its last record. */
export interface EncodedStep {
  readonly id: string;
  readonly write: StreamWrite;
  readonly hash: string;
}
