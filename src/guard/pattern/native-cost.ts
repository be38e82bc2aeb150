import type { AST } from "@eslint-community/regexpp";

/** The bound that the compiler proves of every pattern it leaves to the native engine. */
const MOST_TRIES = 2500;
/** The native engine tries some two characters in the time of one unit. */
const TRIES_PER_UNIT = 2;

/** Characters, classes and assertions of a part of a pattern; with `copies`, as often as its counts repeat them. */
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
      return 1;
  }
}

/** What one attempt at a branch tries before it fails: once the last repetition has its least count, it has succeeded. */
function triesOf({ elements }: AST.Alternative): number {
  const last = elements.at(-1);
  if (last?.type !== "Quantifier") return elements.reduce((sum, element) => sum + sizeOf(element, true), 0);
  const before = elements.slice(0, -1).reduce((sum, element) => sum + sizeOf(element, true), 0);
  return before + sizeOf(last.element, true) * (last.min + 1);
}

function beginsAtStart({ elements: [first] }: AST.Alternative): boolean {
  return first?.type === "Assertion" && first.kind === "start";
}

/**
 * What one character of a text costs at most on the native engine, in units of work. The pattern is deterministic, so one
 * attempt tries each copy of a part once. One that begins with `^` is attempted once for all, and then tries each part once
 * with each character; any other is attempted at each character.
 */
export function nativeCost({ alternatives }: AST.Pattern): number {
  const tries = alternatives.map((branch) => (beginsAtStart(branch) ? sizeOf(branch, false) : triesOf(branch)));
  const sum = tries.reduce((total, one) => total + one, 0);
  return Math.ceil(Math.min(sum, MOST_TRIES) / TRIES_PER_UNIT);
}
