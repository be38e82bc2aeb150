import type { Place } from "../../artifact/compiled-value.js";
import { lineText, type SourceFile, type Span } from "../../diagnostics/source.js";
import type { FileTree } from "../../language/file-tree.js";
import { readText } from "../../language/read-pack.js";

/** Finds the spans of places of a pack, for findings that are made after compiling. */
export class PlaceSpans {
  private readonly sources = new Map<string, SourceFile>();

  constructor(private readonly tree: FileTree) {}

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
    const known = this.sources.get(name);
    if (known !== undefined) return known;
    const text = readText(this.tree, name);
    const source = "kind" in text ? { name, text: "" } : text;
    this.sources.set(name, source);
    return source;
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
