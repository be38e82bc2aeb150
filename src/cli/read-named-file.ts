import { closeSync, openSync, readSync } from "node:fs";
import { UsageError } from "./exit-code.js";

/** No artifact and no recording is this large; a device or an endless pipe is. */
const MOST_BYTES = 256 * 1024 * 1024;
const CHUNK = 1024 * 1024;

function readBounded(file: number): Buffer | null {
  const parts: Uint8Array[] = [];
  for (let size = 0; size <= MOST_BYTES; ) {
    const part = new Uint8Array(CHUNK);
    const read = readSync(file, part);
    if (read === 0) return Buffer.concat(parts, size);
    parts.push(part.subarray(0, read));
    size += read;
  }
  return null;
}

/** The text of a file that the command line names; `name` is how it was named there. */
export function readNamedFile(path: string, name: string): string {
  let bytes: Buffer | null;
  try {
    const file = openSync(path, "r");
    try {
      bytes = readBounded(file);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
    throw new UsageError(`\`${name}\` cannot be read: ${code === "ENOENT" ? "it does not exist" : code}`);
  }
  if (bytes === null) throw new UsageError(`\`${name}\` cannot be read: it holds more than 256 MiB`);
  return bytes.toString("utf8");
}
