/** A file of a pack as text; `name` is relative to the pack, with forward slashes. */
export interface SourceFile {
  readonly name: string;
  readonly text: string;
}

/** A range of a source, as UTF-16 offsets; `end` is exclusive. */
export interface Span {
  readonly source: SourceFile;
  readonly start: number;
  readonly end: number;
}

/** A 1-based place, with columns counted in UTF-16 units as editors do. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The span of a whole file, for findings that no single word causes. */
export function fileSpan(source: SourceFile): Span {
  return { source, start: 0, end: 0 };
}

const lineStartsOf = new WeakMap<SourceFile, readonly number[]>();

function lineStarts(source: SourceFile): readonly number[] {
  const known = lineStartsOf.get(source);
  if (known !== undefined) return known;
  const starts = [0];
  for (let at = source.text.indexOf("\n"); at !== -1; at = source.text.indexOf("\n", at + 1)) starts.push(at + 1);
  lineStartsOf.set(source, starts);
  return starts;
}

/** Line and column of an offset. */
export function positionAt(source: SourceFile, offset: number): Position {
  const starts = lineStarts(source);
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}

/** The text of a 1-based line without its line end. */
export function lineText(source: SourceFile, line: number): string {
  const starts = lineStarts(source);
  const start = starts[line - 1];
  if (start === undefined) return "";
  const next = starts[line];
  return source.text.slice(start, next === undefined ? undefined : next - 1).replace(/\r$/, "");
}
