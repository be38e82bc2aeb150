import type { AST } from "@eslint-community/regexpp";
import { codePointsOf, hasProperty } from "../../../base/character-set.js";

/** The bound that the compiler proves of every pattern it leaves to the native engine. */
const MOST_TRIES = 2500;
/** The native engine tries about two characters in the time of one unit. */
const TRIES_PER_UNIT = 2;

/** Measured: a class of many ranges, or a property, takes 20 to 30 ns; a small class takes 2. */
const MANY_RANGES = 16;
const TRIES_OF_LARGE_CLASS = 16;

function triesOfOne(node: AST.Element): number {
  if (node.type !== "CharacterClass" && node.type !== "CharacterSet") return 1;
  return hasProperty(node) || codePointsOf(node).length > MANY_RANGES ? TRIES_OF_LARGE_CLASS : 1;
}

/** The number of characters, classes and assertions in a part of a pattern; with `copies`, repetitions included. */
function sizeOf(node: AST.Element | AST.Alternative, copies: boolean): number {
  switch (node.type) {
    case "Alternative":
      return node.elements.reduce((sum, element) => sum + sizeOf(element, copies), 0);
    case "Group":
    case "CapturingGroup":
      return node.alternatives.reduce((sum, branch) => sum + sizeOf(branch, copies), 0);
    case "Quantifier":
      return sizeOf(node.element, copies) * (copies ? Math.max(node.max, 1) : 1);
    default:
      return triesOfOne(node);
  }
}

/** The tries of one attempt at a branch before it fails: once the last repetition has its least count, it has succeeded. */
function triesOf({ elements }: AST.Alternative): number {
  const last = elements.at(-1);
  if (last?.type !== "Quantifier") return elements.reduce((sum, element) => sum + sizeOf(element, true), 0);
  const before = elements.slice(0, -1).reduce((sum, element) => sum + sizeOf(element, true), 0);
  return before + sizeOf(last.element, true) * (last.min + 1);
}

function hasLargeClass({ alternatives }: { readonly alternatives: readonly AST.Alternative[] }): boolean {
  const isLarge = (node: AST.Element): boolean => {
    if (node.type === "Group" || node.type === "CapturingGroup") return hasLargeClass(node);
    return node.type === "Quantifier" ? isLarge(node.element) : triesOfOne(node) > 1;
  };
  return alternatives.some(({ elements }) => elements.some(isLarge));
}

function beginsAtStart({ elements: [first] }: AST.Alternative): boolean {
  return first?.type === "Assertion" && first.kind === "start";
}

/**
 * The highest cost of one character of a text on the native engine, in units of work. The pattern is deterministic, so one
 * attempt tries each copy of a part once. A branch that begins with `^` is attempted once, and tries each part once with each
 * character; any other is attempted at each character.
 */
export function nativeCost({ alternatives }: AST.Pattern): number {
  const tries = alternatives.map((branch) => (beginsAtStart(branch) ? sizeOf(branch, false) : triesOf(branch)));
  const sum = tries.reduce((total, one) => total + one, 0);
  const most = hasLargeClass({ alternatives }) ? MOST_TRIES * TRIES_OF_LARGE_CLASS : MOST_TRIES;
  return Math.ceil(Math.min(sum, most) / TRIES_PER_UNIT);
}
