import { type AST, visitRegExpAST } from "@eslint-community/regexpp";
import { RE2JS, RE2JSException } from "re2js";
import { unreachable } from "../../base/invariant.js";
import { type CharacterNode, codePointsOf, hasProperty } from "./character-set.js";
import { type CodePointRange, type CodePointSet, LAST_CODE_POINT } from "./code-point-set.js";
import { measurePattern } from "./re2-size.js";
import { type UnsupportedConstruct, unsupported } from "./regex-problem.js";
import { re2Property } from "./unicode-property.js";

/** A pattern in RE2's syntax, or the part of it that the engine cannot take. */
export type Re2Result =
  | { readonly ok: true; readonly re2: string }
  | { readonly ok: false; readonly problem: UnsupportedConstruct };

/**
 * Translates a pattern that `findUnsupported` let pass to RE2, so that both engines find a match in the same texts.
 *
 * Characters are written as code points and classes as ranges, because `\s` and `.` differ between the two. A unicode
 * property keeps its name, so each engine has it by its own version of Unicode.
 * A lone surrogate in the text is a code point of its own for both, matched by `.`, `[^x]` and `\uD83D`, never by a half
 * of a pair.
 */
export function toRe2(pattern: AST.Pattern): Re2Result {
  const problem = measurePattern(pattern) ?? findUnknownProperty(pattern);
  if (problem !== undefined) return { ok: false, problem };
  const re2 = printChoice(pattern.alternatives);
  try {
    RE2JS.compile(re2);
  } catch (cause) {
    if (!(cause instanceof RE2JSException)) throw cause;
    return { ok: false, problem: unsupported(`pattern that RE2 refuses (${cause.message})`, pattern) };
  }
  return { ok: true, re2 };
}

function findUnknownProperty(pattern: AST.Pattern): UnsupportedConstruct | undefined {
  const found: UnsupportedConstruct[] = [];
  visitRegExpAST(pattern, {
    onCharacterSetEnter(node) {
      if (node.kind !== "property" || re2Property(node) !== null) return;
      found.push(unsupported(`unicode property ${node.raw} where the native engine may be slow`, node));
    },
  });
  return found[0];
}

function printChoice(branches: readonly AST.Alternative[]): string {
  return branches.map((branch) => branch.elements.map(printElement).join("")).join("|");
}

function printElement(node: AST.Element): string {
  switch (node.type) {
    case "Character":
      return printCodePoint(node.value);
    case "CharacterSet":
    case "CharacterClass":
      return hasProperty(node) ? printProperties(node) : printClass(codePointsOf(node));
    case "Group":
    case "CapturingGroup":
      // Only whether there is a match is asked for, so captures would cost time for nothing.
      return `(?:${printChoice(node.alternatives)})`;
    case "Quantifier":
      return `${printElement(node.element)}${printCount(node)}${node.greedy ? "" : "?"}`;
    case "Assertion":
      return printAssertion(node);
    case "Backreference":
    case "ExpressionCharacterClass":
      throw new Error(`invariant broken: ${node.type} reached the translation to RE2`);
    default:
      return unreachable(node);
  }
}

function printAssertion(node: AST.Assertion): string {
  switch (node.kind) {
    case "start":
      return "\\A";
    case "end":
      return "\\z";
    case "word":
      return node.negate ? "\\B" : "\\b";
    case "lookahead":
    case "lookbehind":
      throw new Error(`invariant broken: ${node.kind} reached the translation to RE2`);
    default:
      return unreachable(node);
  }
}

function printCount({ min, max }: AST.Quantifier): string {
  if (max === Number.POSITIVE_INFINITY) return min === 0 ? "*" : min === 1 ? "+" : `{${min},}`;
  if (min === 0 && max === 1) return "?";
  return min === max ? `{${min}}` : `{${min},${max}}`;
}

function printClass(set: CodePointSet): string {
  if (set.length === 0) return `[^${printRange({ from: 0, to: LAST_CODE_POINT })}]`;
  return `[${printSet(set)}]`;
}

/** A class with properties, element by element: what they hold is for the engine to say. */
function printProperties(node: CharacterNode): string {
  if (node.type === "CharacterSet" && node.kind === "property") return re2Property(node) ?? "";
  if (node.type !== "CharacterClass") return printSet(codePointsOf(node));
  const elements = node.elements.map((element) =>
    element.type === "CharacterClassRange"
      ? printRange({ from: element.min.value, to: element.max.value })
      : element.type === "Character" || element.type === "CharacterSet"
        ? printProperties(element)
        : "",
  );
  return `[${node.negate ? "^" : ""}${elements.join("")}]`;
}

function printSet(set: CodePointSet): string {
  return set.map(printRange).join("");
}

function printRange({ from, to }: CodePointRange): string {
  return from === to ? printCodePoint(from) : `${printCodePoint(from)}-${printCodePoint(to)}`;
}

function printCodePoint(codePoint: number): string {
  const text = String.fromCodePoint(codePoint);
  return /^[0-9A-Za-z]$/.test(text) ? text : `\\x{${codePoint.toString(16).toUpperCase()}}`;
}
