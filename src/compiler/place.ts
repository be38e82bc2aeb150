import type { Place } from "../artifact/compiled-value.js";
import { positionAt, type Span } from "../diagnostics/source.js";

/** The place of a rule as the artifact records it. */
export function placeOf(span: Span): Place {
  return { file: span.source.name, line: positionAt(span.source, span.start).line };
}
