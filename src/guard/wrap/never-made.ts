import { foreignProperty } from "../../base/foreign-value.js";

/** Codes that occur only before there is a connection. */
const ALWAYS_BEFORE: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
]);
/** Codes that also end open connections, so that they are proof only together with the system call that failed. */
const WHILE_CONNECTING: ReadonlySet<string> = new Set(["EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT"]);
/** Causes of causes, errors of errors: real ones are two or three deep. */
const DEEPEST = 5;
/** A host has a few addresses, not a thousand. */
const MOST_ERRORS = 100;

function isBefore(code: string, syscall: unknown): boolean {
  if (ALWAYS_BEFORE.has(code)) {
    return (
      syscall === undefined ||
      syscall === "connect" ||
      (typeof syscall === "string" && /^(?:getaddrinfo|query)/.test(syscall))
    );
  }
  return WHILE_CONNECTING.has(code) && syscall === "connect";
}

/** The errors of all addresses of a host that were tried; null if there is no such list. */
function triedOf(error: unknown): readonly unknown[] | null {
  const errors = foreignProperty(error, "errors");
  try {
    if (!Array.isArray(errors) || errors.length === 0) return null;
    if (errors.length > MOST_ERRORS) return [undefined];
    // By index: a list may have an iterator of its own, and that one no end.
    return Array.from({ length: errors.length }, (_, index): unknown => errors[index]);
  } catch {
    return [undefined]; // it cannot be read, so it proves nothing
  }
}

/**
 * Whether an error proves that there never was a connection: refused, not found or unreachable, for every address that was
 * tried. The code is on the error itself or, as with fetch, on its cause.
 */
export function isNeverMade(error: unknown, depth = 0): boolean {
  if (depth >= DEEPEST) return false;
  const code = foreignProperty(error, "code");
  // The code of an error counts more than the errors that it lists.
  if (typeof code === "string" && !ALWAYS_BEFORE.has(code) && !WHILE_CONNECTING.has(code)) return false;
  const tried = triedOf(error);
  if (tried !== null) return tried.every((each) => isNeverMade(each, depth + 1));
  const cause = foreignProperty(error, "cause");
  if (typeof code !== "string") return cause !== undefined && isNeverMade(cause, depth + 1);
  const syscall = foreignProperty(error, "syscall") ?? foreignProperty(cause, "syscall");
  return isBefore(code, syscall);
}
