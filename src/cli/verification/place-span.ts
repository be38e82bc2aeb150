import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Place } from "../../artifact/compiled-value.js";
import { lineText, type SourceFile, type Span } from "../../diagnostics/source.js";

/** Finds the words at places of a pack again, for findings that are made after compiling. */
export class PlaceSpans {
  private readonly sources = new Map<string, SourceFile>();

  constructor(private readonly folder: string) {}

  /** The line of a place without its indentation; the beginning of session.yaml for what has no place. */
  at(place: Place | null): Span {
    const { file, line } = place ?? { file: "session.yaml", line: 1 };
    const source = this.source(file);
    const text = lineText(source, line);
    const indent = text.length - text.trimStart().length;
    const start = offsetOf(source.text, line) + indent;
    return { source, start, end: start + text.trim().length };
  }

  private source(name: string): SourceFile {
    const source = this.sources.get(name) ?? { name, text: this.read(name) };
    this.sources.set(name, source);
    return source;
  }

  private read(name: string): string {
    try {
      return readFileSync(resolve(this.folder, name), "utf8");
    } catch (cause) {
      if (cause instanceof Error) return "";
      throw cause;
    }
  }
}

function offsetOf(text: string, line: number): number {
  let at = 0;
  for (let left = line; left > 1; left--) {
    const end = text.indexOf("\n", at);
    if (end === -1) return text.length;
    at = end + 1;
  }
  return at;
}
