import { resolve } from "node:path";
import { clean } from "../../base/clean.js";
import type { Json } from "../../base/json.js";
import type { SessionReader } from "../../replay/formats/read-sessions.js";
import { type TracedSession, UnreadableTrace } from "../../replay/traced-session.js";
import { UsageError } from "../exit-code.js";
import { statNamed } from "../pack-folder.js";
import { readLines } from "../read-lines.js";
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
  const document = parsed(readNamedFile(path, name));
  if (document !== undefined) return document;
  throw new UsageError(`${clean(name)}:1: it is not JSON; give one JSON object a line, or one JSON document`);
}

/** The sessions of a file, read piece by piece. */
export async function* readTraces(
  cwd: string,
  name: string,
  { reader, meter }: { readonly reader: SessionReader; readonly meter: Meter },
): AsyncGenerator<FoundSession> {
  const path = resolve(cwd, name);
  let number = 0;
  let isFirst = true;
  for await (const line of readLines(path, name)) {
    number += 1;
    const where = `${name}:${number}`;
    if (line === null) throw new UsageError(`${clean(where)}: the line holds more than 64 MiB`);
    meter.add(line.length + 1);
    if (line.trim() === "") continue;
    const value = parsed(line);
    if (value === undefined && isFirst) {
      const document = wholeDocument(path, name);
      for (const session of atPlace(name, () => reader.read(document))) yield { session, where: name };
      break;
    }
    isFirst = false;
    if (value === undefined) throw new UsageError(`${clean(where)}: it is not JSON`);
    for (const session of atPlace(where, () => reader.read(value))) yield { session, where };
  }
  for (const session of reader.end()) yield { session, where: `${name}:${number}` };
}
