import type { BinaryOperator, Expression } from "../../artifact/expression.js";
import type { Span } from "../../diagnostics/source.js";
import { quoted } from "../../diagnostics/wording.js";
import { readCall } from "./calls.js";
import type { ExpressionProblem } from "./expression-problem.js";
import type { ExpressionText } from "./expression-text.js";
import { numberText } from "./literals.js";
import { readId, readIndex, readMember } from "./names.js";
import { type CelNode, MOST_CHARACTERS, MOST_NODES, parseExpression } from "./parse-expression.js";
import type { Let, Names, Part, Size } from "./part.js";
import type { Range, Reader, Refusal } from "./reader.js";
import type { Surroundings } from "./scope.js";
import { type Replacement, writtenOut } from "./written-out.js";

/** How deep macros may be nested: each level multiplies the work. */
const MOST_NESTED = 3;

/** Turns the tree of the library into the data of the artifact; an instance reads one text. */
class PartReader implements Reader {
  readonly problems: ExpressionProblem[] = [];
  readonly spans = new Map<Expression, Span>();
  readonly used = new Set<Let>();
  readonly replacements: Replacement[] = [];
  locals: readonly string[] = [];
  output: Span | null = null;
  isBroken = false;
  private nodes = 0;
  private characters: number;
  private deepest = 0;

  constructor(
    readonly source: ExpressionText,
    readonly lets: Names,
  ) {
    this.characters = source.text.length;
  }

  get surroundings(): Surroundings {
    return this.lets.surroundings;
  }

  get size(): Size {
    return { characters: this.characters, nodes: this.nodes, nesting: this.deepest };
  }

  spanOf({ start, end }: Range): Span {
    return this.source.spanAt(start, end);
  }

  refuse(node: Range, refusal: Refusal): Expression {
    const { kind, message, help, name } = refusal;
    this.problems.push({ kind, span: this.spanOf(node), message, help, ...(name === undefined ? {} : { name }) });
    return { kind: "literal", value: null };
  }

  count(nodes: number): this {
    this.nodes += nodes;
    return this;
  }

  read(node: CelNode): Expression {
    this.nodes += 1;
    const expression = this.expressionOf(node);
    // What a `let` stands for keeps its own place.
    if (!this.spans.has(expression)) this.spans.set(expression, this.spanOf(node));
    return expression;
  }

  readWithin(name: string, node: CelNode): Expression {
    const around = this.locals;
    this.locals = [...around, name];
    this.deepest = Math.max(this.deepest, this.locals.length);
    const expression = this.read(node);
    this.locals = around;
    return expression;
  }

  substitute(node: CelNode & { readonly op: "id" }, named: Let): Expression {
    const part = named.read();
    if (part === "open") {
      return this.refuse(node, {
        kind: "let_cycle",
        message: `${quoted(node.args)} is part of itself`,
        help: "write out one of the expressions of the cycle",
      });
    }
    this.used.add(named);
    this.nodes += part.size.nodes - 1;
    this.characters += part.size.characters - node.args.length;
    this.deepest = Math.max(this.deepest, this.locals.length + part.size.nesting);
    if (part.output !== null) this.output ??= this.spanOf(node);
    if (part.tree === null) return this.giveUp();
    this.replacements.push({ start: node.start, end: node.end, text: part.text });
    for (const [expression, span] of part.spans) this.spans.set(expression, span);
    return part.tree;
  }

  readOutput(range: Range): void {
    this.output ??= this.spanOf(range);
  }

  giveUp(): Expression {
    this.isBroken = true;
    return { kind: "literal", value: null };
  }

  private expressionOf(node: CelNode): Expression {
    switch (node.op) {
      case "value":
        return this.literal(node);
      case "id":
        return readId(this, node);
      case ".":
        return readMember(this, node);
      case "[]":
        return readIndex(this, node);
      case ".?":
      case "[?]":
        return this.refuse(node, {
          kind: "unsupported_expression",
          message: "optional values are not supported",
          help: "test the presence of a member with `has(x.name)`, or of a key with `key in x`",
        });
      case "call":
      case "rcall":
        return readCall(this, node);
      case "list":
        return { kind: "list", items: node.args.map((item) => this.read(item)) };
      case "map":
        return {
          kind: "map",
          entries: node.args.map(([key, value]) => ({ key: this.read(key), value: this.read(value) })),
        };
      case "?:": {
        const [test, yes, no] = node.args;
        return { kind: "choice", test: this.read(test), yes: this.read(yes), no: this.read(no) };
      }
      case "!_":
        return { kind: "not", of: this.read(node.args) };
      case "-_":
        return { kind: "minus", of: this.read(node.args) };
      case "&&":
        return { kind: "and", left: this.read(node.args[0]), right: this.read(node.args[1]) };
      case "||":
        return { kind: "or", left: this.read(node.args[0]), right: this.read(node.args[1]) };
      default:
        return this.binary(node.op, node.args);
    }
  }

  private binary(op: BinaryOperator, [left, right]: readonly [CelNode, CelNode]): Expression {
    return { kind: "binary", op, left: this.read(left), right: this.read(right) };
  }

  private literal(node: CelNode & { readonly op: "value" }): Expression {
    const value = node.args;
    if (typeof value === "string" || typeof value === "boolean" || value === null) return { kind: "literal", value };
    if (value instanceof Uint8Array) {
      return this.refuse(node, {
        kind: "unsupported_expression",
        message: "bytes are not supported: values are JSON",
        help: 'write a text: `"…"`',
      });
    }
    // The library keeps a double, or an integer with its own bounds; the digits of the text are exact.
    const text = numberText(this.source.text.slice(node.start, node.end));
    if (text !== null) return { kind: "number", text };
    return this.refuse(node, {
      kind: "bad_expression",
      message: "the number has more than 34 digits",
      help: "write at most 34 significant digits",
    });
  }
}

function tooLarge(source: ExpressionText, { characters, nodes, nesting }: Size): ExpressionProblem | null {
  const words =
    characters > MOST_CHARACTERS
      ? `has ${characters} characters after \`let\`, and at most ${MOST_CHARACTERS} are accepted`
      : nodes > MOST_NODES
        ? `has ${nodes} parts after \`let\`, and at most ${MOST_NODES} are accepted`
        : nesting > MOST_NESTED
          ? `nests ${nesting} macros, and at most ${MOST_NESTED} are accepted`
          : null;
  if (words === null) return null;
  const help =
    nesting > MOST_NESTED && nodes <= MOST_NODES && characters <= MOST_CHARACTERS
      ? "use fewer of `all`, `exists`, `exists_one`, `filter` and `map` within each other"
      : "split it into several entries, each with its own reason";
  return {
    kind: "expression_too_large",
    span: source.spanAt(0, source.text.length),
    message: `the expression ${words}`,
    help,
  };
}

/** Reads one text: an expression of a rule, or what a `let` stands for. */
export function readPart(source: ExpressionText, lets: Names): Part {
  const reader = new PartReader(source, lets);
  const parsed = parseExpression(source);
  const tree = parsed.ok ? reader.read(parsed.node) : null;
  const { size, spans, output, used } = reader;
  // A `let` that is too large has been reported where it stands.
  const excess = !parsed.ok ? parsed.problem : reader.isBroken ? null : tooLarge(source, size);
  const problems = excess === null ? reader.problems : [excess];
  const isUsable = problems.length === 0 && !reader.isBroken;
  const text = isUsable ? writtenOut(source.text, reader.replacements) : source.text;
  return { tree: isUsable ? tree : null, spans, text, size, output, lets: used, problems };
}
