import { createReadStream } from "node:fs";
import { clean } from "../base/clean.js";
import { UsageError } from "./exit-code.js";

/** No record is as long: what is must not fill the memory. */
const LONGEST = 64 * 1024 * 1024;

/** Takes texts apart at line breaks. A line that is too long is null, and not kept. */
class Lines {
  private parts: string[] = [];
  private length = 0;

  add(text: string): readonly (string | null)[] {
    const found: (string | null)[] = [];
    let from = 0;
    for (let to = text.indexOf("\n"); to !== -1; to = text.indexOf("\n", from)) {
      this.keep(text.slice(from, to));
      found.push(this.line());
      from = to + 1;
    }
    this.keep(text.slice(from));
    return found;
  }

  /** What is left at the end. */
  line(): string | null {
    const line = this.length > LONGEST ? null : this.parts.join("");
    this.parts = [];
    this.length = 0;
    return line;
  }

  private keep(part: string): void {
    this.length += part.length;
    if (this.length > LONGEST) this.parts = [];
    else if (part !== "") this.parts.push(part);
  }
}

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
