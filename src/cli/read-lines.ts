import { createReadStream } from "node:fs";
import { clean } from "../base/clean.js";
import { UsageError } from "./exit-code.js";
import { Lines } from "./lines.js";

/** The lines of a file, read piece by piece: those that end in each piece. Null is a line that is too long. */
export async function* readPieces(path: string, name: string): AsyncGenerator<readonly (string | null)[]> {
  const lines = new Lines();
  try {
    for await (const text of createReadStream(path, { encoding: "utf8", highWaterMark: 1024 * 1024 })) {
      yield lines.add(String(text));
    }
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
    const why = code === "ENOENT" ? "it does not exist" : code === "EISDIR" ? "it is a folder" : code;
    throw new UsageError(`\`${clean(name)}\` cannot be read: ${why}`);
  }
  yield [lines.line()];
}

/** The same, line by line. */
export async function* readLines(path: string, name: string): AsyncGenerator<string | null> {
  for await (const lines of readPieces(path, name)) yield* lines;
}
