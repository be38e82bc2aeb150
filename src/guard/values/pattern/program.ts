import { type AST, RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";
import { codePointsOf } from "../../../base/character-set.js";
import type { CodePointSet } from "../../../base/code-point-set.js";
import { propertyTable } from "../../../base/property-table.js";
import { Alphabet } from "./alphabet.js";

/** The kinds of instructions of a program. */
export const OP = { match: 0, character: 1, fork: 2, start: 3, end: 4, boundary: 5, inside: 6 } as const;

/**
 * A pattern as a nondeterministic automaton (Thompson's). Instruction `at` continues at `next[at]`, a fork at `other[at]` too; a
 * character continues if the class of the next code point is in its set, the one with the number `other[at]`.
 */
export interface PatternProgram {
  readonly op: Uint8Array;
  readonly next: Int32Array;
  readonly other: Int32Array;
  readonly entry: number;
  readonly alphabet: Alphabet;
  /** The bits of all sets one after the other, `words` for each. */
  readonly bits: Int32Array;
  readonly words: number;
}

/** More than the compiler accepts. */
const MOST_INSTRUCTIONS = 20_000;

/** Thrown and caught in this file: the program would be too large. */
class TooLarge extends Error {}

class Builder {
  readonly op: number[] = [OP.match];
  readonly next: number[] = [0];
  readonly other: number[] = [0];
  readonly sets: CodePointSet[] = [];
  private readonly numbers = new Map<string, number>();

  private copies = 0;

  /** Counted, because copies of nothing add no instruction and still take time. */
  private copy(element: AST.Element, after: number): number {
    this.copies += 1;
    if (this.copies > MOST_INSTRUCTIONS) throw new TooLarge("too many repetitions");
    return this.element(element, after);
  }

  private add(op: number, next: number, other = 0): number {
    if (this.op.length >= MOST_INSTRUCTIONS) throw new TooLarge("too many instructions");
    this.op.push(op);
    this.next.push(next);
    this.other.push(other);
    return this.op.length - 1;
  }

  /** The instruction where a choice begins; `after` is the one that follows it. */
  choice(branches: readonly AST.Alternative[], after: number): number {
    const entries = branches.map((branch) => this.sequence(branch.elements, after));
    return entries.reduceRight((rest, entry) => this.add(OP.fork, entry, rest));
  }

  private sequence(elements: readonly AST.Element[], after: number): number {
    return elements.reduceRight((rest, element) => this.element(element, rest), after);
  }

  private element(node: AST.Element, after: number): number {
    switch (node.type) {
      case "Character":
      case "CharacterSet":
      case "CharacterClass":
        return this.add(OP.character, after, this.setOf(node));
      case "Group":
      case "CapturingGroup":
        return this.choice(node.alternatives, after);
      case "Quantifier":
        return this.repetition(node, after);
      case "Assertion":
        return this.assertion(node, after);
      default:
        throw new TypeError(`a pattern has a ${node.type}, which the compiler never accepts`);
    }
  }

  private assertion(node: AST.Assertion, after: number): number {
    if (node.kind === "start") return this.add(OP.start, after);
    if (node.kind === "end") return this.add(OP.end, after);
    if (node.kind === "word") return this.add(node.negate ? OP.inside : OP.boundary, after);
    throw new TypeError(`a pattern has a ${node.kind}, which the compiler never accepts`);
  }

  private repetition({ element, min, max }: AST.Quantifier, after: number): number {
    let entry = after;
    if (max === Number.POSITIVE_INFINITY) {
      entry = this.add(OP.fork, after, after);
      const body = this.element(element, entry);
      this.next[entry] = body;
    } else {
      for (let left = max - min; left > 0; left--) entry = this.add(OP.fork, this.copy(element, entry), after);
    }
    for (let left = min; left > 0; left--) entry = this.copy(element, entry);
    return entry;
  }

  private setOf(node: AST.Character | AST.CharacterSet | AST.CharacterClass): number {
    const known = this.numbers.get(node.raw);
    if (known !== undefined) return known;
    this.sets.push(codePointsOf(node, propertyTable));
    this.numbers.set(node.raw, this.sets.length - 1);
    return this.sets.length - 1;
  }
}

/** Parses a pattern that the compiler accepted. */
export function parsePattern(source: string): AST.Pattern {
  const parser = new RegExpParser({ ecmaVersion: 2025 });
  const pattern = parser.parsePattern(source, 0, source.length, { unicode: true, unicodeSets: false });
  visitRegExpAST(pattern, {
    // Otherwise `(?i:a)` would be read as `(?:a)`.
    onModifiersEnter() {
      throw new TypeError("a pattern has flags for a group, which the compiler never accepts");
    },
  });
  return pattern;
}

/** Builds the tables of all unicode properties in a pattern; each takes milliseconds. */
export function preparePropertyTables(pattern: AST.Pattern): void {
  visitRegExpAST(pattern, {
    onCharacterSetEnter(node) {
      if (node.kind === "property") propertyTable(node.raw);
    },
  });
}

/** Makes the program of a pattern; null if it would be too large. */
export function programOf(pattern: AST.Pattern): PatternProgram | null {
  const builder = new Builder();
  try {
    const entry = builder.choice(pattern.alternatives, 0);
    const { op, next, other, sets } = builder;
    const alphabet = new Alphabet(sets);
    const words = (alphabet.size + 31) >> 5;
    const bits = new Int32Array(words * sets.length);
    for (const [number, set] of sets.entries()) bits.set(alphabet.bitsOf(set), number * words);
    const arrays = { op: Uint8Array.from(op), next: Int32Array.from(next), other: Int32Array.from(other) };
    return { ...arrays, entry, alphabet, bits, words };
  } catch (cause) {
    if (cause instanceof TooLarge) return null;
    throw cause;
  }
}
