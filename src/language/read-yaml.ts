import {
  Composer,
  type CST,
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  type Pair,
  Parser,
} from "yaml";
import { spells } from "../base/decimal.js";
import type { Json } from "../base/json.js";
import type { SourceFile, Span } from "../diagnostics/source.js";
import { markDamaged } from "./draft.js";
import { type LocatedEntry, locatedList, locatedObject } from "./located.js";
import type { Problem } from "./problem.js";

/** Nesting that no contract needs; deeper input would exhaust the stack of later stages. */
export const MAX_DEPTH = 100;
const MAX_ALIASES = 100;
/** What aliases may expand to: 100 of them can expand to 10^50 nodes. */
const MAX_NODES = 100_000;
/** Measured: 100,000 tokens of the costliest kind take the `yaml` composer 0.9 s, a 10,000-key map has 70,000. */
const MAX_TOKENS = 100_000;
/** Tags that cannot change the value. */
const PLAIN_TAGS = new Set(["str", "map", "seq"].map((name) => `tag:yaml.org,2002:${name}`));

/** The result of reading one file; without `root` the file could not be parsed at all. */
export interface ReadResult {
  readonly root?: Json;
  readonly problems: readonly Problem[];
}

interface Converted {
  readonly value: Json;
  readonly span: Span;
  /** Nodes of this value once its aliases are expanded. */
  readonly weight: number;
  readonly height: number;
}

class Abort extends Error {
  constructor(readonly problem: Problem) {
    super(problem.kind);
  }
}

/** Turns one composed document into located JSON; an instance serves one file. */
class Converter {
  readonly problems: Problem[] = [];
  private readonly anchors = new Map<string, Converted | "open">();
  private aliases = 0;
  private nodes = 0;

  constructor(private readonly source: SourceFile) {}

  convert(node: Node | null, depth: number, fallback: Span): Converted {
    if (node === null) return { value: null, span: fallback, weight: 1, height: 0 };
    const span = this.spanOf(node, fallback);
    if (isAlias(node)) return this.alias(node.source, depth, span);
    if (depth > MAX_DEPTH) throw new Abort({ kind: "too_deep", span });
    this.checkTag(node);
    const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
    if (anchor !== undefined) this.anchors.set(anchor, "open");
    const converted = this.content(node, depth, span);
    if (anchor !== undefined) this.anchors.set(anchor, converted);
    return converted;
  }

  private checkTag(node: Node): void {
    if (node.tag === undefined || PLAIN_TAGS.has(node.tag)) return;
    const value = node.range?.[0] ?? 0;
    // The range of a node starts behind its tag, and an anchor may be between them.
    const before = this.source.text.slice(Math.max(0, value - 1000), value);
    const [tag = ""] = /!\S*(?=\s*(?:&\S+\s*)?$)/.exec(before) ?? [];
    const start = value - before.length + before.lastIndexOf(tag);
    this.problems.push({ kind: "custom_tag", span: { source: this.source, start, end: start + tag.length }, tag });
  }

  private content(node: Node, depth: number, span: Span): Converted {
    if (isMap(node)) return this.map(node.items, depth, span);
    if (isSeq(node)) {
      const items = node.items.map((item) => this.convert(isNode(item) ? item : null, depth + 1, span));
      return this.container(locatedList(span, items), span, items);
    }
    this.count(1, span);
    return { value: isScalar(node) ? this.scalar(node.value, node.source, span) : null, span, weight: 1, height: 0 };
  }

  private map(pairs: readonly Pair[], depth: number, self: Span): Converted {
    const entries = new Map<string, LocatedEntry>();
    const children: Converted[] = [];
    const repeated: string[] = [];
    for (const pair of pairs) {
      const keyNode = isNode(pair.key) ? pair.key : null;
      const keySpan = keyNode === null ? self : this.spanOf(keyNode, self);
      const key = this.key(keyNode, keySpan, self);
      const value = this.convert(isNode(pair.value) ? pair.value : null, depth + 1, keySpan);
      children.push(value);
      if (key === undefined) continue;
      const first = entries.get(key);
      if (first === undefined) entries.set(key, { key, keySpan, value: value.value, valueSpan: value.span });
      else {
        this.problems.push({ kind: "duplicate_key", span: keySpan, key, first: first.keySpan });
        repeated.push(key);
      }
    }
    const object = locatedObject(self, [...entries.values()]);
    for (const key of repeated) markDamaged(object, [key]);
    return this.container(object, self, children);
  }

  private container(value: Json, span: Span, children: readonly Converted[]): Converted {
    let weight = 1;
    let height = 0;
    for (const child of children) {
      weight += child.weight;
      height = Math.max(height, child.height);
    }
    this.count(1, span);
    return { value, span, weight, height: height + 1 };
  }

  private key(node: Node | null, span: Span, mapping: Span): string | undefined {
    if (node !== null && !isAlias(node)) this.checkTag(node);
    if (isScalar(node) && typeof node.value === "string") {
      if (node.value === "<<" && node.type === "PLAIN") {
        this.problems.push({ kind: "merge_key", span, mapping });
        return undefined;
      }
      return node.value;
    }
    const found = isScalar(node) ? `\`${node.source ?? node.value}\`` : isAlias(node) ? "an alias" : "a collection";
    this.problems.push({ kind: "non_string_key", span, found: node === null || found === "``" ? "nothing" : found });
    return undefined;
  }

  private scalar(value: unknown, text: string | undefined, span: Span): Json {
    if (typeof value === "number") {
      if (text === undefined || isSpelled(value, text)) return value;
      this.problems.push({ kind: "imprecise_number", span, text });
      return 0;
    }
    if (typeof value === "string" || typeof value === "boolean") return value;
    return null;
  }

  private alias(name: string, depth: number, span: Span): Converted {
    this.aliases += 1;
    if (this.aliases > MAX_ALIASES) {
      throw new Abort({ kind: "too_many_aliases", span, what: `more than ${MAX_ALIASES} aliases` });
    }
    const target = this.anchors.get(name);
    if (target === undefined) {
      this.problems.push({ kind: "unknown_alias", span, name });
      return { value: null, span, weight: 1, height: 0 };
    }
    if (target === "open") throw new Abort({ kind: "alias_cycle", span, name });
    if (depth + target.height > MAX_DEPTH) throw new Abort({ kind: "too_deep", span });
    this.count(target.weight, span);
    return { ...target, span };
  }

  private count(weight: number, span: Span): void {
    this.nodes += weight;
    if (this.nodes > MAX_NODES) {
      throw new Abort({ kind: "too_many_aliases", span, what: `aliases that expand to more than ${MAX_NODES} values` });
    }
  }

  private spanOf(node: Node, fallback: Span): Span {
    const range = node.range;
    if (!range || range[1] <= range[0]) return fallback;
    return { source: this.source, start: range[0], end: range[1] };
  }
}

function isNode(value: unknown): value is Node {
  return isAlias(value) || isScalar(value) || isMap(value) || isSeq(value);
}

/** Whether a number is the one its text spells, and not the double next to it. */
function isSpelled(value: number, text: string): boolean {
  if (!Number.isFinite(value)) return false;
  if (/^0[xo]/.test(text)) return BigInt(value) === BigInt(text);
  return spells(text, value);
}

/** Tokens of the text, or the reason why composing them could take too long or overflow the stack. */
function tokenize(source: SourceFile): CST.Token[] | Problem {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let count = 0;
  for (const lexeme of new Lexer().lex(source.text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    const span = { source, start: parser.offset, end: Math.min(parser.offset + 1, source.text.length) };
    // The stack also holds the document and the scalar being read.
    if (parser.stack.length > MAX_DEPTH + 3) return { kind: "too_deep", span };
    count += 1;
    if (count > MAX_TOKENS) return { kind: "too_many_tokens", span };
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

function compose(source: SourceFile, tokens: readonly CST.Token[]): readonly Document.Parsed[] {
  const composer = new Composer({
    version: "1.2",
    schema: "core",
    uniqueKeys: false,
    merge: false,
    logLevel: "silent",
  });
  // Only the first error is reported, and collecting the stack traces of a hostile file's errors would take most of the time.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return [...composer.compose(tokens, true, source.text.length)];
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** The package quotes what it found, which may be a megabyte. */
const LONGEST_MESSAGE = 120;

const SYNTAX_HELP: Readonly<Partial<Record<ErrorCode, string>>> = {
  BAD_DQ_ESCAPE: "put the text in single quotes, where a backslash is a backslash",
  TAB_AS_INDENT: "indent with spaces",
  MISSING_CHAR: "close the quote or bracket, or put the colon where it belongs",
};

/** What YAML takes for its own: a quote, a bracket or a brace at the beginning, and `: ` in the middle. */
const EXPRESSION_HELP = "put the expression into a block: `|` after the colon, and the expression on the next line";

/** Whether the line of an offset has an expression: `that`, or an entry of `let`. */
function isExpressionAt(text: string, offset: number): boolean {
  const before = text.slice(0, offset).split("\n");
  const line = `${before.at(-1) ?? ""}${text.slice(offset).split("\n", 1)[0]}`;
  if (/(?:^|[\s{,])that\s*:/.test(line) || /^\s*let\s*:\s*\{/.test(line)) return true;
  const indent = /^\s*/.exec(line)?.[0].length ?? 0;
  const outer = before.slice(0, -1).findLast((each) => each.trim() !== "" && each.search(/\S/) < indent);
  return outer !== undefined && /^let\s*:\s*$/.test(outer);
}

/** What stops a file from being one YAML 1.2 document. After the first syntax error nothing can be relied on. */
function syntaxProblem(source: SourceFile, documents: readonly Document.Parsed[]): Problem | null {
  // A warning about a tag is reported where its value is read; every other warning is about the document.
  const warnings = documents
    .flatMap((document) => document.warnings)
    .filter(({ code }) => code !== "TAG_RESOLVE_FAILED");
  const [error] = [...documents.flatMap(({ errors }) => errors), ...warnings];
  if (error !== undefined) {
    const [start, end] = error.pos.map((offset) => Math.min(offset, source.text.length)) as [number, number]; // two, as before
    const message = error.message.slice(0, LONGEST_MESSAGE).replace(/\s+/g, " ").replace(/[.:]$/, "");
    const worded = message.charAt(0).toLowerCase() + message.slice(1);
    const help =
      (isExpressionAt(source.text, start) ? EXPRESSION_HELP : SYNTAX_HELP[error.code]) ??
      "look at the indentation, the quotes and the colons here and on the line above";
    return { kind: "yaml_syntax", span: { source, start, end }, message: worded, help };
  }
  const older = documents.find(({ directives }) => directives.yaml.explicit && directives.yaml.version !== "1.2");
  if (older !== undefined) {
    const start = Math.max(0, source.text.indexOf("%YAML"));
    const message = `the file asks for YAML ${older.directives.yaml.version}; contracts are YAML 1.2`;
    return { kind: "yaml_syntax", span: { source, start, end: start + 9 }, message, help: "remove the directive" };
  }
  const second = documents[1];
  if (second === undefined) return null;
  const start = second.range[0];
  return { kind: "several_documents", span: { source, start, end: Math.min(start + 3, source.text.length) } };
}

/** Reads one YAML document into located JSON, within limits that keep hostile input cheap. */
export function readYaml(source: SourceFile): ReadResult {
  const tokens = tokenize(source);
  if (!Array.isArray(tokens)) return { problems: [tokens] };
  const documents = compose(source, tokens);
  const syntax = syntaxProblem(source, documents);
  if (syntax !== null) return { problems: [syntax] };
  const converter = new Converter(source);
  try {
    const { value } = converter.convert(documents[0]?.contents ?? null, 1, { source, start: 0, end: 0 });
    return { root: value, problems: converter.problems };
  } catch (cause) {
    if (cause instanceof Abort) return { problems: [...converter.problems, cause.problem] };
    throw cause;
  }
}
