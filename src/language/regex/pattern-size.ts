import { type AST, visitRegExpAST } from "@eslint-community/regexpp";
import { type CharacterNode, codePointsOf, hasProperty } from "../../base/character-set.js";
import { type UnsupportedConstruct, unsupported } from "./regex-problem.js";

/** For one repetition and for the product of nested ones. */
const MAX_REPETITION = 1000;
/** In the worst case every character visits every state. With this limit, any text of 1,000 characters can be judged. */
const MAX_STATES = 2500;
/** Ranges are stored again at every place a class is used. */
const MAX_RANGES = 10_000;
/** `\p{L}`, one of the largest, has some 680. */
const RANGES_OF_PROPERTY = 700;

/** The first part of a pattern that is too large to be run step by step. */
export function measurePattern(pattern: AST.Pattern): UnsupportedConstruct | undefined {
  const problems: UnsupportedConstruct[] = [];
  let ranges = 0;
  visitRegExpAST(pattern, {
    onQuantifierEnter(node) {
      if (repetitions(node) > MAX_REPETITION) problems.push(unsupported(`repetition above ${MAX_REPETITION}`, node));
    },
    onCharacterSetEnter(node) {
      // A set inside a class is counted with its class.
      if (node.parent.type !== "CharacterClass") ranges += rangesOf(node);
    },
    onCharacterClassEnter(node) {
      ranges += rangesOf(node);
    },
  });
  if (problems[0] !== undefined) return problems[0];
  if (ranges > MAX_RANGES) return unsupported(`more than ${MAX_RANGES} ranges of characters`, pattern);
  if (statesOfAll(pattern.alternatives) > MAX_STATES) return unsupported(`more than ${MAX_STATES} states`, pattern);
  return undefined;
}

function rangesOf(node: CharacterNode): number {
  return hasProperty(node) ? RANGES_OF_PROPERTY : codePointsOf(node).length;
}

/** How often the innermost element is repeated by counts; `*` and `+` cost no copies. */
function repetitions(node: AST.Element | AST.Alternative): number {
  switch (node.type) {
    case "Alternative":
      return Math.max(1, ...node.elements.map(repetitions));
    case "Group":
    case "CapturingGroup":
      return Math.max(...node.alternatives.map(repetitions));
    case "Quantifier":
      return copies(node) * repetitions(node.element);
    default:
      return 1;
  }
}

function copies({ min, max }: AST.Quantifier): number {
  return Math.max(1, max === Number.POSITIVE_INFINITY ? min : max);
}

/** The size of its program: one state per character, copied for counted repetitions. */
function states(node: AST.Element | AST.Alternative): number {
  switch (node.type) {
    case "Alternative":
      return node.elements.reduce((total, element) => total + states(element), 0);
    case "Group":
    case "CapturingGroup":
      return statesOfAll(node.alternatives);
    case "Quantifier":
      return copies(node) * (states(node.element) + 1);
    default:
      return 1;
  }
}

function statesOfAll(branches: readonly AST.Alternative[]): number {
  return branches.reduce((total, branch) => total + states(branch) + 1, 0);
}
