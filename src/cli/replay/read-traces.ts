import { resolve } from "node:path";
import { clean } from "../../base/clean.js";
import type { Json } from "../../base/json.js";
import type { SessionReader } from "../../replay/formats/read-sessions.js";
import { type TracedSession, UnreadableTrace } from "../../replay/traced-session.js";
import { UsageError } from "../exit-code.js";
import { statNamed } from "../pack-folder.js";
import { readPieces } from "../read-lines.js";
import { readNamedFile } from "../read-named-file.js";

/** A session, and where it was read. */
export interface FoundSession {
  readonly session: TracedSession;
  /** The line at which it ends, as `file:line`. */
  readonly where: string;
}

/** Counts what was read, for people who wait. */
export interface Meter {
  add(characters: number): void;
}

/** The size of all files, in bytes; 0 where it is not known, as for a pipe. */
export function sizeOf(cwd: string, files: readonly string[]): number {
  const sizes = files.map((file) => statNamed(resolve(cwd, file), file)?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** What some editors and spreadsheets write before the first character of a file in UTF-8. */
function withoutMark(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

function parsed(line: string): Json | undefined {
  try {
    return JSON.parse(line) as Json;
  } catch {
    return undefined;
  }
}

/** A mistake of a file, at the place where it is. */
export function atPlace<T>(where: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof UnreadableTrace) throw new UsageError(`${clean(where)}: ${cause.message}`);
    throw cause;
  }
}

/** A file that is one JSON document, written over several lines. */
function wholeDocument(path: string, name: string): Json {
  const document = parsed(withoutMark(readNamedFile(path, name)));
  if (document !== undefined) return document;
  throw new UsageError(`${clean(name)}:1: it is not JSON; give one JSON object a line, or one JSON document`);
}

/** What reading a file needs beside its name. */
export interface Reading {
  readonly reader: SessionReader;
  readonly meter: Meter;
  /** Gets each session as soon as it is read; a promise for each would take longer than reading it. */
  take(found: FoundSession): void;
}

/** The lines of one file, each as the sessions that it completes. */
class TraceLines {
  private number = 0;
  private isFirst = true;

  constructor(
    private readonly path: string,
    private readonly name: string,
    private readonly reading: Reading,
  ) {}

  /** Takes one line; false if the file is no list of lines and was read as a whole. */
  add(line: string | null): boolean {
    const { name, reading } = this;
    this.number += 1;
    const where = `${name}:${this.number}`;
    if (line === null) throw new UsageError(`${clean(where)}: the line holds more than 64 MiB`);
    reading.meter.add(line.length + 1);
    if (line.trim() === "") return true;
    const value = parsed(this.number === 1 ? withoutMark(line) : line);
    if (value === undefined) {
      if (!this.isFirst) throw new UsageError(`${clean(where)}: it is not JSON`);
      this.read(wholeDocument(this.path, name), name);
      return false;
    }
    this.isFirst = false;
    this.read(value, where);
    return true;
  }

  end(): void {
    const where = `${this.name}:${this.number}`;
    for (const session of this.reading.reader.end()) this.reading.take({ session, where });
  }

  private read(value: Json, where: string): void {
    const { reader, take } = this.reading;
    for (const session of atPlace(where, () => reader.read(value))) take({ session, where });
  }
}

/** Reads the sessions of a file, piece by piece. */
export async function readTraces(cwd: string, name: string, reading: Reading): Promise<void> {
  const path = resolve(cwd, name);
  const lines = new TraceLines(path, name, reading);
  for await (const piece of readPieces(path, name)) {
    if (!piece.every((line) => lines.add(line))) break;
  }
  lines.end();
}
