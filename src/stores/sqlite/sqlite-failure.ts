import { foreignProperty } from "../../base/foreign-value.js";
import { StoreError, type StoreErrorCode } from "../store-error.js";

/** Primary result codes of SQLite; the upper bytes of a code say more, and are shown. */
const FAILURES: ReadonlyMap<number, readonly [StoreErrorCode, string]> = new Map([
  [1, ["store_failed", "the file is damaged, or has tables of something else; restore it from a backup"]],
  [5, ["store_timeout", "others kept it locked for too long"]],
  [6, ["store_timeout", "others kept it locked for too long"]],
  [8, ["store_read_only", "it cannot be written"]],
  [10, ["store_failed", "reading or writing the file failed"]],
  [11, ["store_damaged", "the file is damaged; restore it from a backup"]],
  [13, ["store_full", "the disk is full"]],
  [14, ["store_unreachable", "the file cannot be opened: its folder must exist, and both must be writable"]],
  [23, ["store_unreachable", "the file cannot be opened: permission was denied"]],
  [26, ["store_damaged", "the file is not an SQLite database; correct its path, or restore it from a backup"]],
]);

/** What SQLite says to some of them, the same at all times: a driver may pass on nothing else. */
const WORDS: ReadonlyMap<unknown, number> = new Map([
  ["database is locked", 5],
  ["database table is locked", 6],
  ["attempt to write a readonly database", 8],
  ["disk I/O error", 10],
  ["database disk image is malformed", 11],
  ["database or disk is full", 13],
  ["unable to open database file", 14],
  ["file is not a database", 26],
]);

/** The result code that a driver gave an error, or 0. */
function resultCode(cause: unknown): number {
  const code = foreignProperty(cause, "errcode");
  return typeof code === "number" ? code : (WORDS.get(foreignProperty(cause, "message")) ?? 0);
}

export function isBusy(cause: unknown): boolean {
  return (resultCode(cause) & 0xff) === 5;
}

/** What a driver threw, described without its text: that may quote values. */
export function sqliteFailure(shown: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const code = resultCode(cause);
  const [kind, words] = FAILURES.get(code & 0xff) ?? ["store_failed", "SQLite refused"];
  return new StoreError(kind, `the store ${shown}: ${words} (SQLite error ${code})`);
}
