import { type Node, type ParseError, type ParseOptions, parseTree, printParseErrorCode } from "jsonc-parser";
import type { Json } from "../base/json.js";
import type { SourceFile, Span } from "../diagnostics/source.js";
import { type LocatedEntry, locatedList, locatedObject } from "./located.js";
import type { Problem } from "./problem.js";
import { MAX_DEPTH, type ReadResult } from "./read-yaml.js";

const STRICT: ParseOptions = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };

/** Offset of the first bracket below the depth limit: the tree builder recurses, so it must not see it. */
function tooDeepAt(text: string): number | null {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}]/g)) {
    if (token === "{" || token === "[") depth += 1;
    if (token === "}" || token === "]") depth -= 1;
    if (depth > MAX_DEPTH) return index;
  }
  return null;
}

const WORDS: Readonly<Record<string, string>> = {
  InvalidSymbol: "this is not a JSON value",
  InvalidNumberFormat: "this is not a JSON number",
  PropertyNameExpected: "a property name in double quotes is expected here",
  ValueExpected: "a value is expected here",
  ColonExpected: "a `:` is expected here",
  CommaExpected: "a `,` is expected here",
  CloseBraceExpected: "a `}` is expected here",
  CloseBracketExpected: "a `]` is expected here",
  EndOfFileExpected: "the end of the file is expected here",
  InvalidCommentToken: "JSON has no comments",
  UnexpectedEndOfString: "the string is not closed",
  InvalidUnicode: "`\\u` needs four hexadecimal digits",
  InvalidEscapeCharacter: "this is not an escape of JSON",
  InvalidCharacter: "a control character must be escaped",
};

function errorWords(error: ParseError): string {
  return WORDS[printParseErrorCode(error.error)] ?? "a JSON value is expected here";
}

class Converter {
  readonly problems: Problem[] = [];

  constructor(private readonly source: SourceFile) {}

  convert(node: Node): Json {
    const children = node.children ?? [];
    if (node.type === "array") {
      return locatedList(
        this.spanOf(node),
        children.map((item) => ({ value: this.convert(item), span: this.spanOf(item) })),
      );
    }
    if (node.type === "object") return this.object(node, children);
    const value: unknown = node.value;
    return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
  }

  private object(node: Node, properties: readonly Node[]): Json {
    const entries = new Map<string, LocatedEntry>();
    for (const { children: [keyNode, valueNode] = [] } of properties) {
      if (keyNode === undefined || valueNode === undefined) continue;
      const key = String(keyNode.value);
      const keySpan = this.spanOf(keyNode);
      const first = entries.get(key);
      if (first !== undefined) this.problems.push({ kind: "duplicate_key", span: keySpan, key, first: first.keySpan });
      else entries.set(key, { key, keySpan, value: this.convert(valueNode), valueSpan: this.spanOf(valueNode) });
    }
    return locatedObject(this.spanOf(node), [...entries.values()]);
  }

  private spanOf(node: Node): Span {
    return { source: this.source, start: node.offset, end: node.offset + node.length };
  }
}

/** In broken JSON brackets may be nested deeper than they look; the tree builder then runs out of stack. */
function treeOf(text: string, errors: ParseError[]): Node | undefined | "too deep" {
  try {
    return parseTree(text, errors, STRICT);
  } catch (cause) {
    if (cause instanceof RangeError) return "too deep";
    throw cause;
  }
}

/** Reads strict JSON into located values. */
export function readJson(source: SourceFile): ReadResult {
  const deep = tooDeepAt(source.text);
  if (deep !== null) return { problems: [{ kind: "too_deep", span: { source, start: deep, end: deep + 1 } }] };
  const errors: ParseError[] = [];
  const tree = treeOf(source.text, errors);
  if (tree === "too deep") return { problems: [{ kind: "too_deep", span: { source, start: 0, end: 0 } }] };
  const [first] = errors;
  if (first !== undefined || tree === undefined) {
    const start = first?.offset ?? 0;
    const message = first === undefined || source.text.trim() === "" ? "the file is empty" : errorWords(first);
    return { problems: [{ kind: "json_syntax", span: { source, start, end: start + (first?.length ?? 0) }, message }] };
  }
  const converter = new Converter(source);
  const root = converter.convert(tree);
  return { root, problems: converter.problems };
}
