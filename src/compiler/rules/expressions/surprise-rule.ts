import type { Expression } from "../../../artifact/expression.js";
import type { Span } from "../../../diagnostics/source.js";
import { type InferredUse, inferredUses } from "../../expression/inferences.js";
import type { Surprise } from "../../expression/surprise.js";
import type { RuleContext } from "../../rule-context.js";

/** Something that is certain about a part of an expression, with the tools for whose calls it is. */
export interface SurpriseFound<K extends Surprise["kind"]> {
  readonly span: Span;
  readonly surprise: Extract<Surprise, { readonly kind: K }>;
  readonly use: InferredUse["use"];
  readonly tools: readonly string[];
  /** The characters of a part. */
  readonly textOf: (part: Expression) => string;
}

function isOfKind<K extends Surprise["kind"]>(surprise: Surprise, kind: K): surprise is Extract<Surprise, { kind: K }> {
  return surprise.kind === kind;
}

/** The place of a part of an expression. */
export function placeOfPart({ expression }: InferredUse, part: Expression): Span {
  return expression.spans.get(part) ?? expression.source.spanAt(0, expression.source.text.length);
}

/** At most this many characters of a part are repeated in a message. */
const LONGEST = 80;

/** The characters of a part of an expression, on one line. */
export function textOfPart(use: InferredUse, part: Expression): string {
  const { source, start, end } = placeOfPart(use, part);
  const text = source.text.slice(start, end).replace(/\s+/g, " ");
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** What is certain about parts of expressions, each place once. */
export function* surprisesOf<K extends Surprise["kind"]>(context: RuleContext, kind: K): Generator<SurpriseFound<K>> {
  for (const each of inferredUses(context)) {
    const found = new Map<Span, { surprise: Extract<Surprise, { kind: K }>; tools: string[] }>();
    for (const { tool, surprises } of each.inferred) {
      for (const surprise of surprises) {
        if (!isOfKind(surprise, kind)) continue;
        const span = placeOfPart(each, surprise.part);
        const known = found.get(span) ?? { surprise, tools: [] };
        found.set(span, known);
        if (tool !== null && !known.tools.includes(tool.name)) known.tools.push(tool.name);
      }
    }
    for (const [span, { surprise, tools }] of found)
      yield { span, surprise, use: each.use, tools, textOf: (part) => textOfPart(each, part) };
  }
}
