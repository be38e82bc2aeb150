/** Why a store could not do what it was asked. */
export type StoreErrorCode =
  | "store_url_invalid"
  | "store_closed"
  | "store_unreachable"
  | "store_timeout"
  | "store_read_only"
  | "store_full"
  | "store_damaged"
  | "store_failed"
  | "schema_missing"
  | "schema_outdated"
  | "schema_unknown"
  | "driver_missing"
  | "driver_outdated";

/**
 * A store could not be opened, or did not do what it was asked. It has no cause: errors of drivers hold values, and
 * sometimes the connection.
 */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string) {
    super(message);
    this.name = "StoreError";
    this.code = code;
  }
}

/** What everything answers after `close`. */
export function storeClosed(): StoreError {
  return new StoreError("store_closed", "the store was closed");
}
