import { type AST, RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";
import { codePointsOf } from "../base/character-set.js";
import { type CodePointSet, codePointSet } from "../base/code-point-set.js";
import { propertyTable } from "../base/property-table.js";

/** What an assertion asks of the code points around it. */
export type Assertion = "start" | "end" | "boundary" | "inside";

/** A place in a pattern: where it may continue without reading, which code points lead to another place, or its end. */
export type Place =
  | { readonly kind: "end" }
  | { readonly kind: "read"; readonly set: CodePointSet; readonly next: number }
  | { kind: "choice"; next: number[] }
  | { readonly kind: "assert"; readonly assertion: Assertion; readonly next: number };

/** The nondeterministic automaton of a pattern; place 0 is its end. */
export interface PatternNfa {
  readonly places: readonly Place[];
  readonly entry: number;
}

/** Patterns that need more places, repetitions written out, are not modelled. */
const MOST_PLACES = 5_000;

/** Thrown and caught in this file: the pattern is not modelled. */
class NotModelled extends Error {}

class Builder {
  readonly places: Place[] = [{ kind: "end" }];
  private readonly sets = new Map<string, CodePointSet>();

  private add(place: Place): number {
    if (this.places.length >= MOST_PLACES) throw new NotModelled("too many places");
    return this.places.push(place) - 1;
  }

  /** The place from which the branches lead to `after`. */
  branches(branches: readonly AST.Alternative[], after: number): number {
    const next = branches.map(({ elements }) => elements.reduceRight((rest, each) => this.element(each, rest), after));
    return next.length === 1 ? (next[0] ?? after) : this.add({ kind: "choice", next });
  }

  private element(node: AST.Element, after: number): number {
    switch (node.type) {
      case "Character":
      case "CharacterSet":
      case "CharacterClass":
        return this.add({ kind: "read", set: this.setOf(node), next: after });
      case "Group":
      case "CapturingGroup":
        return this.branches(node.alternatives, after);
      case "Quantifier":
        return this.repeated(node, after);
      case "Assertion":
        return this.asserted(node, after);
      default:
        throw new NotModelled(node.type);
    }
  }

  private setOf(node: AST.Character | AST.CharacterSet | AST.CharacterClass): CodePointSet {
    const set = this.sets.get(node.raw) ?? codePointsOf(node, propertyTable);
    this.sets.set(node.raw, set);
    return set;
  }

  private asserted(node: AST.Assertion, next: number): number {
    if (node.kind === "start" || node.kind === "end") return this.add({ kind: "assert", assertion: node.kind, next });
    if (node.kind !== "word") throw new NotModelled(node.kind);
    return this.add({ kind: "assert", assertion: node.negate ? "inside" : "boundary", next });
  }

  private repeated({ element, min, max }: AST.Quantifier, after: number): number {
    let entry = after;
    if (max === Number.POSITIVE_INFINITY) {
      const loop: Place = { kind: "choice", next: [after] };
      entry = this.add(loop);
      loop.next.push(this.element(element, entry));
    } else {
      // Counted by the places that are added: copies of nothing add one each.
      for (let left = max - min; left > 0; left--)
        entry = this.add({ kind: "choice", next: [this.element(element, entry), after] });
    }
    for (let left = min; left > 0; left--) {
      if (left > MOST_PLACES) throw new NotModelled("too many repetitions");
      entry = this.element(element, entry);
    }
    return entry;
  }
}

/** The automaton of a pattern as the guard reads it; null where it is too large, or not one that the compiler accepts. */
export function nfaOf(source: string): PatternNfa | null {
  try {
    const parser = new RegExpParser({ ecmaVersion: 2025 });
    const pattern = parser.parsePattern(source, 0, source.length, { unicode: true, unicodeSets: false });
    visitRegExpAST(pattern, {
      onModifiersEnter() {
        throw new NotModelled("flags of a group");
      },
    });
    const builder = new Builder();
    const entry = builder.branches(pattern.alternatives, 0);
    return { places: builder.places, entry };
  } catch (cause) {
    // What the parser rejects is no pattern.
    if (cause instanceof NotModelled || cause instanceof SyntaxError) return null;
    throw cause;
  }
}

/** The code points that `\b` distinguishes. */
export const WORD: CodePointSet = codePointSet([
  { from: 0x30, to: 0x39 },
  { from: 0x41, to: 0x5a },
  { from: 0x5f, to: 0x5f },
  { from: 0x61, to: 0x7a },
]);
