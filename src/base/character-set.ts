import { type CodePointSet, codePointSet, complement, union } from "./code-point-set.js";
import { invariant, unreachable } from "./invariant.js";

/** `.`, an escape such as `\d`, or a unicode property, as the parser of patterns gives it. */
type CharacterSetNode =
  | { readonly type: "CharacterSet"; readonly kind: "any" }
  | { readonly type: "CharacterSet"; readonly kind: "digit" | "space" | "word"; readonly negate: boolean }
  | { readonly type: "CharacterSet"; readonly kind: "property"; readonly raw: string };

interface OneCharacter {
  readonly type: "Character";
  readonly value: number;
}

interface CharacterRange {
  readonly type: "CharacterClassRange";
  readonly min: OneCharacter;
  readonly max: OneCharacter;
}

type CharacterClassNode =
  | {
      readonly type: "CharacterClass";
      readonly unicodeSets: false;
      readonly negate: boolean;
      readonly elements: readonly (OneCharacter | CharacterRange | CharacterSetNode)[];
    }
  | { readonly type: "CharacterClass"; readonly unicodeSets: true };

/** A node of a parsed pattern that matches exactly one code point. */
export type CharacterNode = OneCharacter | CharacterSetNode | CharacterClassNode;

/** The code points of a unicode property, given as it is written in the pattern; null where it is not needed. */
export type PropertyTable = ((raw: string) => CodePointSet) | null;

// ECMAScript 2024, 12.2 and 12.3: WhiteSpace and LineTerminator, the code points of \s.
const SPACE = codePointSet(
  [0x20, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff]
    .map((codePoint) => ({ from: codePoint, to: codePoint }))
    .concat({ from: 0x09, to: 0x0d }, { from: 0x2000, to: 0x200a }),
);
const DIGIT = codePointSet([{ from: 0x30, to: 0x39 }]);
// Without the `i` flag \w is ASCII also in `u` mode (ECMAScript 2024, 22.2.2.9.3).
const WORD = codePointSet([
  { from: 0x30, to: 0x39 },
  { from: 0x41, to: 0x5a },
  { from: 0x5f, to: 0x5f },
  { from: 0x61, to: 0x7a },
]);
const NOT_LINE_TERMINATOR = complement(
  codePointSet([
    { from: 0x0a, to: 0x0a },
    { from: 0x0d, to: 0x0d },
    { from: 0x2028, to: 0x2029 },
  ]),
);

/** Every code point: what a unicode property may match at most, whichever tables there are. */
const ALL = complement([]);

/** Whether a node is a unicode property such as `\p{Lu}`, or a class with one in it. */
export function hasProperty(node: CharacterNode): boolean {
  if (node.type === "CharacterSet") return node.kind === "property";
  if (node.type !== "CharacterClass" || node.unicodeSets) return false;
  return node.elements.some((element) => element.type === "CharacterSet" && hasProperty(element));
}

/**
 * The code points a character, `.`, an escape or a class of `u` mode matches; without tables, an upper bound where a property
 * is involved.
 */
export function codePointsOf(node: CharacterNode, properties: PropertyTable = null): CodePointSet {
  switch (node.type) {
    case "Character":
      return [{ from: node.value, to: node.value }];
    case "CharacterSet":
      return escapeCodePoints(node, properties);
    case "CharacterClass":
      return classCodePoints(node, properties);
    default:
      return unreachable(node);
  }
}

function classCodePoints(node: CharacterClassNode, properties: PropertyTable): CodePointSet {
  invariant(!node.unicodeSets, "patterns are parsed without the `v` flag");
  if (properties === null && hasProperty(node)) return ALL;
  const set = union(
    ...node.elements.map((element) =>
      element.type === "CharacterClassRange"
        ? [{ from: element.min.value, to: element.max.value }]
        : codePointsOf(element, properties),
    ),
  );
  return node.negate ? complement(set) : set;
}

function escapeCodePoints(node: CharacterSetNode, properties: PropertyTable): CodePointSet {
  switch (node.kind) {
    case "any":
      return NOT_LINE_TERMINATOR;
    case "digit":
      return node.negate ? complement(DIGIT) : DIGIT;
    case "space":
      return node.negate ? complement(SPACE) : SPACE;
    case "word":
      return node.negate ? complement(WORD) : WORD;
    case "property":
      return properties === null ? ALL : properties(node.raw);
    default:
      return unreachable(node);
  }
}
