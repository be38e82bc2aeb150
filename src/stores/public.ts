/** What `contract-guard/stores` exports. */
export type { Operator } from "../guard/durable/note.js";
export type {
  AppendResult,
  DurableStore,
  ListedStream,
  ListOptions,
  LoadedStream,
  Snapshot,
  StoredRecord,
  StreamChange,
  StreamWrite,
} from "../guard/durable-store.js";
export type { ShownApproval, StoredApproval } from "../sessions/approval-view.js";
export { openApprovals, type StoredApprovals } from "../sessions/approvals.js";
export { type Migration, type MigrationOptions, migrateSession } from "../sessions/migration/migrate-session.js";
export type { StoredAnswer } from "../sessions/operations.js";
export { SessionError, type SessionErrorCode } from "../sessions/session-error.js";
export type { OperatorOptions } from "../sessions/store-access.js";
export { migrateStore, openStore, type StoreOptions } from "./open-store.js";
export type { Migrated } from "./schema.js";
export { StoreError, type StoreErrorCode } from "./store-error.js";
