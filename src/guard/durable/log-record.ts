import { canonicalJson, contentHash } from "../../base/canonical-json.js";
import { isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { decodeEvent } from "../session/decode-event.js";
import type { SessionEvent } from "../session/event.js";
import type { Note } from "./note.js";

/** The version of the format; a guard refuses records of a later one. */
export const RECORD_VERSION = 1;

/** The hash that the first record of a session continues. It names the session, also where the content of records is sealed. */
export function firstPrev(session: string): string {
  return contentHash(canonicalJson({ session }));
}

/** The same for the log of a workflow. */
export function firstPrevOfWorkflow(workflow: string): string {
  return contentHash(canonicalJson({ workflow }));
}

/** What every record of a session has. */
export interface RecordFrame {
  readonly v: number;
  /** Its place in the log: 1 for the first. */
  readonly n: number;
  /** When it was written, in milliseconds since 1970, by the clock that decides deadlines. */
  readonly at: number;
  /** The guard that wrote it, or `operator`. */
  readonly guard: string;
  /** The hash of the artifact that the session is judged by. */
  readonly artifact: string;
  /** The hash of the record before; that of the session for the first. */
  readonly prev: string;
  /** The hash of the state in the snapshot that was written with this record. */
  readonly state?: string;
}

/** What a record says: an event, which changes the state, a note, or both. */
export interface RecordContent<E = SessionEvent> {
  readonly event: E | null;
  readonly note: Note | null;
}

/** One record of a log. Its content is readable, or sealed. */
export interface LogRecord<E = SessionEvent> extends RecordFrame {
  readonly content: RecordContent<E> | { readonly sealed: string };
  readonly hash: string;
}

/** Reads the events of a log. */
export type EventReader<E> = (event: unknown) => E;

/** A record that cannot be read. Says what is wrong without showing it. */
export class BadRecord extends Error {}

function hashOf(body: JsonObject): string {
  return contentHash(canonicalJson(body));
}

function member(name: string, value: unknown): string {
  return value === undefined ? "" : `,"${name}":${canonicalJson(value)}`;
}

/** The text of a record, and its hash. */
export interface EncodedRecord {
  readonly text: string;
  readonly hash: string;
}

/** Writes a record. */
export function encodeRecord(
  { v, n, at, guard, artifact, prev, state }: RecordFrame,
  content: { readonly event?: unknown; readonly note?: unknown; readonly sealed?: string },
): EncodedRecord {
  const { event, note, sealed } = content;
  // In the order of their names, so that nothing is written twice: the hash goes between the members that it is the hash of.
  const before = `{"artifact":${canonicalJson(artifact)}${member("at", at)}${member("event", event)}${member("guard", guard)}`;
  const after = `${member("n", n)}${member("note", note)}${member("prev", prev)}${member("sealed", sealed)}${member("state", state)}${member("v", v)}}`;
  const hash = contentHash(before + after);
  return { text: `${before},"hash":"${hash}"${after}`, hash };
}

function textAt(body: JsonObject, name: string): string {
  const value = body[name];
  if (typeof value === "string") return value;
  throw new BadRecord(`its \`${name}\` is no text`);
}

function wholeAt(body: JsonObject, name: string): number {
  const value = body[name];
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new BadRecord(`its \`${name}\` is no whole number`);
}

function parsed(text: string): JsonObject {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    throw new BadRecord("it is not JSON");
  }
  if (!isJsonObject(value)) throw new BadRecord("it is not an object");
  return value;
}

/** The content of a record that is not sealed, or was opened. */
export function contentOf(given: { readonly event?: unknown; readonly note?: unknown }): RecordContent {
  return contentBy(decodeEvent, given);
}

/** The same for a log of other events. */
export function contentBy<E>(
  read: EventReader<E>,
  { event, note }: { readonly event?: unknown; readonly note?: unknown },
): RecordContent<E> {
  return {
    event: event === undefined ? null : read(event),
    // The guard reads nothing of it; whoever shows it checks what it shows.
    note: isNote(note) ? note : null,
  };
}

function isNote(note: unknown): note is Note {
  return typeof note === "object" && note !== null && !Array.isArray(note);
}

/** Reads a record of a session and checks its hash, but not its place in the chain. */
export function decodeRecord(text: string): LogRecord {
  return decodeRecordBy(decodeEvent, text);
}

/** The same for a log of other events. */
export function decodeRecordBy<E>(read: EventReader<E>, text: string): LogRecord<E> {
  return recordBy(read, parsed(text));
}

/** The same for a record that was parsed. */
export function recordOf(body: JsonObject): LogRecord {
  return recordBy(decodeEvent, body);
}

/** The same for a record of a log of other events. */
export function recordBy<E>(read: EventReader<E>, { hash, ...body }: JsonObject): LogRecord<E> {
  const v = wholeAt(body, "v");
  if (v > RECORD_VERSION) throw new BadRecord(`its version ${v} is later than ${RECORD_VERSION}, the latest known one`);
  if (hash !== hashOf(body)) throw new BadRecord("its hash does not fit its content");
  const { state, sealed } = body;
  return {
    v,
    n: wholeAt(body, "n"),
    at: Number(body.at),
    guard: textAt(body, "guard"),
    artifact: textAt(body, "artifact"),
    prev: textAt(body, "prev"),
    ...(typeof state === "string" ? { state } : {}),
    content: typeof sealed === "string" ? { sealed } : contentBy(read, body),
    hash: textAt({ hash: hash ?? null }, "hash"),
  };
}
