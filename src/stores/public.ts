/** What `contract-guard/stores` exports. */
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
export { migrateStore, openStore, type StoreOptions } from "./open-store.js";
export type { Migrated } from "./schema.js";
export { StoreError, type StoreErrorCode } from "./store-error.js";
