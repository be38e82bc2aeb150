import { type JsonPath, jsonPath, type Segment, type Selector } from "../base/json-path.js";

/** Why a text is not a path of the language; `offset` counts UTF-16 units from its start. */
export type PathProblem =
  | { readonly kind: "syntax"; readonly message: string; readonly offset: number }
  | { readonly kind: "filter"; readonly offset: number };

export type PathResult =
  | { readonly ok: true; readonly path: JsonPath }
  | { readonly ok: false; readonly problem: PathProblem };

class PathError extends Error {
  constructor(readonly problem: PathProblem) {
    super("not a path");
  }
}

const NAME_START = /[A-Za-z_\u0080-\u{10ffff}]/u;
const NAME_PART = /[A-Za-z0-9_\u0080-\u{10ffff}]/u;
// RFC 9535, section 2.1: integers outside the I-JSON range are not valid.
const INTEGER = /-?(?:0|[1-9][0-9]*)/y;
const ESCAPES = new Map([
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["/", "/"],
  ["\\", "\\"],
]);

/** Recursive descent over one text; RFC 9535 grammar, with filters and functions rejected by name. */
class PathReader {
  private at = 0;

  constructor(private readonly text: string) {}

  read(): readonly Segment[] {
    if (this.text[0] !== "$") this.fail("a path starts with `$`");
    this.at = 1;
    const segments: Segment[] = [];
    while (this.at < this.text.length) {
      const start = this.at;
      this.skipBlank();
      if (this.at === this.text.length) {
        this.at = start;
        this.fail("white space after the end of the path");
      }
      segments.push(this.segment());
    }
    return segments;
  }

  private segment(): Segment {
    if (this.text.startsWith("..", this.at)) {
      this.at += 2;
      if (this.peek() === "[") return { descend: true, selectors: this.bracketed() };
      return { descend: true, selectors: [this.shorthand()] };
    }
    if (this.peek() === ".") {
      this.at += 1;
      return { descend: false, selectors: [this.shorthand()] };
    }
    if (this.peek() === "[") return { descend: false, selectors: this.bracketed() };
    if (this.peek() === "(") this.filter();
    return this.fail(`expected \`.\` or \`[\`, found \`${this.peek()}\``);
  }

  private shorthand(): Selector {
    if (this.peek() === "*") {
      this.at += 1;
      return { kind: "wildcard" };
    }
    const start = this.at;
    while (this.at < this.text.length) {
      const character = this.character();
      if (!(this.at === start ? NAME_START : NAME_PART).test(character)) break;
      this.at += character.length;
    }
    if (this.at > start) {
      if (this.peek() === "(") this.filter(start);
      return { kind: "name", name: this.text.slice(start, this.at) };
    }
    if (this.at === this.text.length) return this.fail("the path ends after a dot");
    if (/[0-9]/.test(this.peek())) return this.fail("an index is written in brackets: `[0]`");
    return this.fail(`expected a name after the dot, found \`${this.character()}\`; quote it: \`['…']\``);
  }

  private bracketed(): readonly Selector[] {
    this.at += 1;
    const selectors: Selector[] = [];
    for (;;) {
      this.skipBlank();
      selectors.push(this.selector());
      this.skipBlank();
      const next = this.peek();
      this.at += 1;
      if (next === "]") return selectors;
      if (next !== ",") {
        this.at -= 1;
        this.fail(next === "" ? "the path ends inside `[…]`" : `expected \`,\` or \`]\`, found \`${next}\``);
      }
    }
  }

  private selector(): Selector {
    const next = this.peek();
    if (next === "'" || next === '"') return { kind: "name", name: this.quoted(next) };
    if (next === "*") {
      this.at += 1;
      return { kind: "wildcard" };
    }
    if (next === "?" || next === "(" || next === "@") this.filter();
    const first = next === ":" ? null : this.integer();
    const mark = this.at;
    this.skipBlank();
    if (this.peek() === ":") return this.slice(first);
    this.at = mark;
    if (first === null) return this.fail("expected a quoted name, an index, a slice or `*` inside `[…]`");
    return { kind: "index", index: first };
  }

  private slice(start: number | null): Selector {
    this.at += 1;
    this.skipBlank();
    const end = this.integer();
    this.skipBlank();
    let step = 1;
    if (this.peek() === ":") {
      this.at += 1;
      const mark = this.at;
      this.skipBlank();
      const given = this.integer();
      if (given === null) this.at = mark;
      else step = given;
    }
    return { kind: "slice", start, end, step };
  }

  private integer(): number | null {
    INTEGER.lastIndex = this.at;
    const match = INTEGER.exec(this.text);
    if (match === null) return null;
    const value = Number(match[0]);
    const isPadded = match[0] === "-0" || /[0-9]/.test(this.text[INTEGER.lastIndex] ?? "");
    if (isPadded) this.fail("an index has no leading zeros");
    if (!Number.isSafeInteger(value)) this.fail("the number is too large for an index");
    this.at = INTEGER.lastIndex;
    return value;
  }

  private quoted(quote: string): string {
    const start = this.at;
    this.at += 1;
    let value = "";
    for (;;) {
      const character = this.character();
      if (character === "") {
        this.at = start;
        this.fail(`the quoted name has no closing \`${quote}\``);
      }
      if (character === quote) break;
      if (character < " ") this.fail("a quoted name has no control characters; escape them");
      this.at += character.length;
      value += character === "\\" ? this.escape(quote) : character;
    }
    this.at += 1;
    return value;
  }

  private escape(quote: string): string {
    const character = this.peek();
    this.at += 1;
    if (character === quote) return quote;
    if (character === "u") return this.unicodeEscape();
    const plain = ESCAPES.get(character);
    if (plain !== undefined) return plain;
    this.at -= 2;
    return this.fail(`\`\\${character}\` is not an escape`);
  }

  private unicodeEscape(): string {
    const unit = this.hexUnit();
    if (unit >= 0xdc00 && unit <= 0xdfff) this.fail("a low surrogate needs a high one before it");
    if (unit < 0xd800 || unit > 0xdbff) return String.fromCharCode(unit);
    if (!this.text.startsWith("\\u", this.at)) this.fail("a high surrogate needs a low one after it");
    this.at += 2;
    const low = this.hexUnit();
    if (low < 0xdc00 || low > 0xdfff) this.fail("a high surrogate needs a low one after it");
    return String.fromCharCode(unit, low);
  }

  private hexUnit(): number {
    const digits = this.text.slice(this.at, this.at + 4);
    if (!/^[0-9A-Fa-f]{4}$/.test(digits)) this.fail("`\\u` needs four hexadecimal digits");
    this.at += 4;
    return Number.parseInt(digits, 16);
  }

  private skipBlank(): void {
    while (this.at < this.text.length && " \t\n\r".includes(this.peek())) this.at += 1;
  }

  private peek(): string {
    return this.text[this.at] ?? "";
  }

  private character(): string {
    const point = this.text.codePointAt(this.at);
    return point === undefined ? "" : String.fromCodePoint(point);
  }

  private filter(offset = this.at): never {
    throw new PathError({ kind: "filter", offset });
  }

  private fail(message: string): never {
    throw new PathError({ kind: "syntax", message, offset: this.at });
  }
}

/** Parses a path in the dialect of the contract language. */
export function parseJsonPath(text: string): PathResult {
  try {
    return { ok: true, path: jsonPath(new PathReader(text).read()) };
  } catch (cause) {
    if (cause instanceof PathError) return { ok: false, problem: cause.problem };
    throw cause;
  }
}
