import type { Span } from "../../diagnostics/source.js";

/** The text of an expression, with the way back into the file that it was read from. */
export interface ExpressionText {
  readonly text: string;
  /** The place of a range of the text in its file. */
  readonly spanAt: (start: number, end: number) => Span;
  /** What ended the text in its YAML file, where it may have gone on. */
  readonly cutBy?: "comma" | "comment";
}
