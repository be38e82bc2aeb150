import { jsonLine } from "../base/clean.js";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../base/json.js";
import type { SessionEnd } from "./chain.js";
import { namedLog, nameIn } from "./log-name.js";
import { REPEATED, repeatsNames } from "./repeated-names.js";

/** What one line at the end of an export says: how many records there are, and where each session ends. */
export interface Head {
  /** In the whole export. */
  readonly records: number;
  readonly sessions: readonly SessionEnd[];
  /** Whether the next line goes on with further sessions. */
  readonly more: boolean;
}

/** One line of an export. */
export type ExportLine =
  | { readonly kind: "record"; readonly session: string; readonly body: JsonObject }
  | { readonly kind: "head"; readonly head: Head }
  | { readonly kind: "unreadable"; readonly session: string | null; readonly why: string };

function unreadable(session: string | null, why: string): ExportLine {
  return { kind: "unreadable", session, why };
}

/** The line of a record. What is no record is exported all the same: whoever verifies the export is told. */
export function recordLine(session: string, data: string): { readonly line: string; readonly hash: string | null } {
  try {
    const body = JSON.parse(data) as Json;
    if (isJsonObject(body) && !repeatsNames(data, body)) {
      const { hash } = body;
      return { line: jsonLine({ ...body, ...namedLog(session) }), hash: typeof hash === "string" ? hash : null };
    }
  } catch (cause) {
    // Too deep to be written, or no JSON.
    if (!(cause instanceof SyntaxError || cause instanceof RangeError)) throw cause;
  }
  return { line: jsonLine({ ...namedLog(session), unreadable: data }), hash: null };
}

/** The line of a head. */
export function headLine({ records, sessions, more }: Head): string {
  const ends = sessions.map(({ session, ...end }) => ({ ...namedLog(session), ...end }));
  return jsonLine({ head: { records, sessions: ends, ...(more ? { more } : {}) } });
}

/** Whether a value is a number of records. */
export function isCount(value: Json | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** What else stands in a head or a checkpoint is compared with nothing: somebody else could read something there. */
export function hasOnly(value: JsonObject, names: readonly string[]): boolean {
  return Object.keys(value).every((name) => names.includes(name));
}

function endOf(value: Json): SessionEnd | null {
  const named = isJsonObject(value) ? nameIn(value) : null;
  if (named === null) return null;
  const { name: session, rest } = named;
  const { count, hash = null } = rest;
  if (!isCount(count) || !hasOnly(rest, ["count", "hash"])) return null;
  return hash === null || typeof hash === "string" ? { session, count, hash } : null;
}

function headOf(value: Json): Head | null {
  if (!isJsonObject(value) || !hasOnly(value, ["records", "sessions", "more"])) return null;
  const { records, sessions, more = false } = value;
  if (!isCount(records) || sessions === undefined || !isJsonList(sessions) || typeof more !== "boolean") return null;
  const ends = sessions.map(endOf);
  const known = ends.filter((end) => end !== null);
  return known.length === ends.length ? { records, sessions: known, more } : null;
}

/** Reads a line of an export, whoever wrote it. Null is a line that is too long to be read. */
export function readLine(text: string | null): ExportLine {
  if (text === null) return unreadable(null, "the line is too long");
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return unreadable(null, "it is not JSON");
  }
  if (!isJsonObject(value)) return unreadable(null, "it is not an object");
  const isRepeated = repeatsNames(text, value);
  if ("head" in value) {
    const head = isRepeated || !hasOnly(value, ["head"]) ? null : headOf(value.head ?? null);
    return head === null ? unreadable(null, "it is not the head of an export") : { kind: "head", head };
  }
  const named = nameIn(value);
  if (named === null) return unreadable(null, "it names no session");
  return isRepeated ? unreadable(named.name, REPEATED) : { kind: "record", session: named.name, body: named.rest };
}

/** Whether a line is one that an export has, so that a file that begins with it may be replaced by another export. */
export function isExportLine(text: string): boolean {
  const line = readLine(text);
  if (line.kind !== "record") return line.kind === "head";
  const { unreadable: unread, n, prev, hash } = line.body;
  return typeof unread === "string" || (isCount(n) && typeof prev === "string" && typeof hash === "string");
}
