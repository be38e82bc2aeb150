import { foreignProperty } from "../../base/foreign-value.js";
import { StoreError, type StoreErrorCode } from "../store-error.js";

/** The server rolled the statement back, because of others or because it did not fit: nothing of it happened. */
const TAKEN_BACK: readonly unknown[] = [
  "40001", // serialization_failure
  "40P01", // deadlock_detected
];

/** SQLSTATE codes or, with two characters, classes of them; and codes of sockets. */
const FAILURES: ReadonlyMap<string, readonly [StoreErrorCode, string]> = new Map([
  ["57014", ["store_timeout", "the server took too long"]],
  ["55P03", ["store_timeout", "others kept it locked for too long"]],
  ["25006", ["store_read_only", "the server is read-only"]],
  ["42501", ["store_read_only", "the user may not do this there"]],
  ["53100", ["store_full", "the disk of the server is full"]],
  ["53", ["store_unreachable", "the server has no room for another connection"]],
  ["57", ["store_unreachable", "the server is shutting down or starting"]],
  ["28", ["store_unreachable", "the server refused the user or the password"]],
  ["3D", ["store_unreachable", "there is no such database"]],
  ["3F", ["store_failed", "there is no such schema; correct the `search_path`"]],
  ["42704", ["store_failed", "the server does not know a setting or a role of the address"]],
  ["XX001", ["store_damaged", "the server found damaged data"]],
  ["XX002", ["store_damaged", "the server found a damaged index"]],
  ["ENOTFOUND", ["store_unreachable", "there is no such host"]],
  ["ENOENT", ["store_unreachable", "there is no such file or socket; correct what its address names"]],
  ["ECONNREFUSED", ["store_unreachable", "no server is listening there"]],
]);

/** The driver gives these no code. */
const TIMEOUTS = /timeout/i;
const WITHOUT_SSL = /does not support SSL/i;

/** What the driver or the server called an error; empty where it has no code. */
export function codeOf(cause: unknown): string {
  const code = foreignProperty(cause, "code");
  return typeof code === "string" && /^[A-Za-z0-9_]{1,40}$/.test(code) ? code : "";
}

/** Whether the server rolled back a statement that would have conflicted with others. */
export function wasTakenBack(cause: unknown): boolean {
  return TAKEN_BACK.includes(codeOf(cause));
}

function kindOf(cause: unknown, code: string): readonly [StoreErrorCode, string] {
  const known = FAILURES.get(code) ?? FAILURES.get(/^[0-9A-Z]{5}$/.test(code) ? code.slice(0, 2) : "");
  if (known !== undefined) return known;
  const words = code === "" ? String(foreignProperty(cause, "message")) : "";
  if (TIMEOUTS.test(words)) return ["store_timeout", "the server did not answer in time"];
  if (WITHOUT_SSL.test(words)) {
    return [
      "store_unreachable",
      "the server takes no encrypted connections; correct the `sslmode`, or set it up there",
    ];
  }
  // What is not an SQLSTATE comes from the connection: there was none, or it broke.
  const isFromServer = /^[0-9A-Z]{5}$/.test(code) && !code.startsWith("08") && !code.startsWith("E");
  return isFromServer ? ["store_failed", "the server refused"] : ["store_unreachable", "the connection failed"];
}

/** What the driver threw, described without its text: that may quote values, users and passwords. */
export function postgresFailure(shown: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const code = codeOf(cause);
  const [kind, words] = kindOf(cause, code);
  return new StoreError(kind, `the store ${shown}: ${words}${code === "" ? "" : ` (${code})`}`);
}
