import type {
  AppendResult,
  ListedStream,
  ListOptions,
  LoadedStream,
  StoredRecord,
  StreamChange,
  StreamWrite,
} from "../../guard/durable-store.js";
import type { Migrated } from "../schema.js";
import type { StoreErrorCode } from "../store-error.js";
import type { DatabaseSetting } from "./open-database.js";

/** What the thread is started with. */
export interface WorkerSetting extends DatabaseSetting {
  /** How often others' appends are looked for while somebody watches. */
  readonly pollMs: number;
  /** Whether the file may be made where there is none. */
  readonly creates: boolean;
}

export type AppendQuestion = {
  readonly kind: "append";
  readonly appendId: string;
  readonly writes: readonly StreamWrite[];
  readonly time: number;
};

/** What is asked of the thread. */
export type Question =
  | AppendQuestion
  | { readonly kind: "load"; readonly stream: string; readonly after: number | undefined }
  | { readonly kind: "read"; readonly stream: string; readonly after: number; readonly limit: number }
  | { readonly kind: "list"; readonly options: Required<ListOptions> }
  | { readonly kind: "watch"; readonly stream: string }
  | { readonly kind: "unwatch"; readonly stream: string }
  | { readonly kind: "close" };

/** `expires` is a time of `monotonicMs`: what nobody waits for any more is not done. */
export interface Request {
  readonly id: number;
  readonly expires: number;
  readonly question: Question;
}

/** What the thread answers to each kind of question. */
export type Answer =
  | { readonly kind: "append"; readonly result: AppendResult }
  | { readonly kind: "load"; readonly loaded: LoadedStream }
  | { readonly kind: "read"; readonly records: readonly StoredRecord[] }
  | { readonly kind: "list"; readonly streams: readonly ListedStream[] }
  | { readonly kind: "watch"; readonly revision: number }
  | { readonly kind: "unwatch" }
  | { readonly kind: "close" }
  | { readonly kind: "failed"; readonly code: StoreErrorCode; readonly message: string };

export interface Reply {
  readonly id: number;
  readonly answer: Answer;
}

/** What the thread sends. */
export type Sent =
  | { readonly kind: "opened"; readonly migrated: Migrated }
  | { readonly kind: "refused"; readonly code: StoreErrorCode; readonly message: string }
  | { readonly kind: "replies"; readonly replies: readonly Reply[] }
  | { readonly kind: "changed"; readonly changes: readonly StreamChange[] };

/** The same in all threads of a process, whatever happens to the clock. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
