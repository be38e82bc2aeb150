import type { JsonObject } from "../base/json.js";
import { BadRecord, decodeRecord, type LogRecord, recordOf } from "../guard/durable/log-record.js";
import { REPEATED, repeatsNames } from "./repeated-names.js";

/** A record, or why it is none. */
export type ReadRecord =
  | { readonly record: LogRecord }
  | { readonly record: null /** Without anything of its content. */; readonly why: string };

function attempt(read: () => LogRecord): ReadRecord {
  try {
    return { record: read() };
  } catch (cause) {
    // Other errors quote what they found.
    return { record: null, why: cause instanceof BadRecord ? cause.message : "its content is none that guards write" };
  }
}

/** Reads a record as a store has it, whoever wrote it. */
export function readRecord(text: string): ReadRecord {
  const read = attempt(() => decodeRecord(text));
  return read.record !== null && repeatsNames(text, JSON.parse(text)) ? { record: null, why: REPEATED } : read;
}

/** The same for a record that was parsed. */
export function readParsed(body: JsonObject): ReadRecord {
  return attempt(() => recordOf(body));
}
