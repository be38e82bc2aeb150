import type { AST } from "@eslint-community/regexpp";
import { areDisjoint } from "./code-point-set.js";
import { anyOf, type Beginning, NOTHING, type Shapes, shapeOf } from "./pattern-shape.js";

/** An unanchored attempt may consume at most this many code points before it fails, at every start position. */
const MAX_FAILING_LENGTH = 256;
/** At most this many characters, classes and assertions may fail at one position of an attempt. */
const MAX_CANDIDATES = 256;
/** What one character of the text may cost over all attempts that see it; other patterns may have as many states at most. */
const MAX_TRIES = 2500;
/** V8 counts repetitions in machine integers; far below their maximum nothing needs to be proved about overflow. */
const MAX_COUNT = 0xffff;
/**
 * Choices and captures inside repetitions that may be pending per code point. V8's backtrack stack holds 64 MiB and
 * a choice or a capture takes 2 words of 4 bytes, so texts of 100,000 characters cannot overflow it.
 */
const MAX_PENDING = 32;

/** What all steps of one analysis share. */
interface Scope {
  readonly shapes: Shapes;
  readonly maxCandidates: number;
}

/**
 * Whether V8's backtracking engine provably needs time linear in the text, for every text.
 *
 * 1. Determinism (strong LL(1)): at each choice, to take a branch or to repeat once more, the code points with which
 *    the continuations can begin are disjoint. So at most one can consume the next code point, and all others fail
 *    before consuming any. So an attempt is one path with dead ends of zero width at each position.
 * 2. The dead ends at one position are at most `maxCandidates`: nothing that repeats or is optional can match empty and at
 *    most one branch of a group can, so there is only one zero-width path through each part.
 * 3. Reaching the end of the pattern is success and ends the search. So nothing follows the last element, and what
 *    could begin there needs no comparison.
 * 4. By 1 to 3 an attempt costs `maxCandidates` times the code points it consumes. Over all start positions that stays linear,
 *    because each branch of the pattern begins with `^`, and fails at once at all positions but the first, or fails
 *    within MAX_FAILING_LENGTH code points.
 *
 * V8 compares UTF-16 units, so a dead end may consume a lead surrogate before it fails: a constant factor.
 */
export function isLinearNative(pattern: AST.Pattern): boolean {
  const branches = pattern.alternatives;
  const shapes: Shapes = new Map();
  const floating = branches.filter((branch) => !isAnchored(branch));
  const failing = Math.max(1, ...floating.map((branch) => failingLength(branch, shapes)));
  if (failing > MAX_FAILING_LENGTH) return false;
  const scope = { shapes, maxCandidates: Math.min(MAX_CANDIDATES, MAX_TRIES / failing) };
  if (!isDeterministicChoice(branches, NOTHING, scope)) return false;
  return branches.every((branch) => pendingInRepetitions(branch, false) <= MAX_PENDING);
}

/** `follow` is how the text may continue after the choice. */
function isDeterministicChoice(branches: readonly AST.Alternative[], follow: Beginning, scope: Scope): boolean {
  const parts = branches.map((branch) => shapeOf(branch, scope.shapes));
  if (parts.filter((part) => part.nullable).length > 1) return false;
  const beginnings = parts.map((part) => (part.nullable ? anyOf(part, follow) : part));
  if (anyOf(...beginnings).candidates > scope.maxCandidates) return false;
  if (!areDisjoint(...beginnings.map((beginning) => beginning.first))) return false;
  return branches.every((branch) => isDeterministicSequence(branch.elements, follow, scope));
}

function isDeterministicSequence(elements: readonly AST.Element[], follow: Beginning, scope: Scope): boolean {
  let next = follow;
  for (const element of elements.toReversed()) {
    if (!isDeterministic(element, next, scope)) return false;
    const shape = shapeOf(element, scope.shapes);
    next = shape.nullable ? anyOf(shape, next) : shape;
    if (next.candidates > scope.maxCandidates) return false;
  }
  return true;
}

function isDeterministic(node: AST.Element, follow: Beginning, scope: Scope): boolean {
  switch (node.type) {
    case "Character":
    case "CharacterSet":
    case "CharacterClass":
      // `[]` is disjoint from everything and would hide an overlap of what comes after it.
      return shapeOf(node, scope.shapes).first.length > 0;
    case "Group":
    case "CapturingGroup":
      return isDeterministicChoice(node.alternatives, follow, scope);
    case "Quantifier":
      return isDeterministicQuantifier(node, follow, scope);
    case "Assertion":
      // V8 also starts inside surrogate pairs, against ECMAScript 22.2.7.2: /\B/u finds one in "a😀b". Only `\B` can
      // hold there, so patterns with it are left to the other engine.
      return node.kind === "start" || node.kind === "end" || (node.kind === "word" && !node.negate);
    default:
      return false;
  }
}

function isDeterministicQuantifier(node: AST.Quantifier, follow: Beginning, scope: Scope): boolean {
  const element = shapeOf(node.element, scope.shapes);
  if (element.nullable || node.max === 0) return false;
  if (node.min > MAX_COUNT || (node.max > MAX_COUNT && node.max !== Number.POSITIVE_INFINITY)) return false;
  const mayStopEarly = node.min !== node.max;
  if (mayStopEarly && !areDisjoint(element.first, follow.first)) return false;
  const next = node.max > 1 ? anyOf(element, follow) : follow;
  return next.candidates <= scope.maxCandidates && isDeterministic(node.element, next, scope);
}

function isAnchored(branch: AST.Alternative): boolean {
  for (const element of branch.elements) {
    if (element.type === "Group" || element.type === "CapturingGroup") return element.alternatives.every(isAnchored);
    if (element.type !== "Assertion") return false;
    if (element.kind === "start") return true;
  }
  return false;
}

/** How many code points an attempt at this branch of the pattern can consume and still fail. */
function failingLength({ elements }: AST.Alternative, shapes: Shapes): number {
  const lengths = elements.map((element, index) => {
    const isLast = index === elements.length - 1;
    if (!isLast || element.type !== "Quantifier") return shapeOf(element, shapes).longest;
    // After its least count of rounds the last quantifier has already succeeded, and the search ends.
    return element.min === 0 ? 0 : element.min * shapeOf(element.element, shapes).longest;
  });
  return lengths.reduce((sum, length) => sum + length, 0);
}

function pendingInRepetitions(node: AST.Element | AST.Alternative, isRepeated: boolean): number {
  switch (node.type) {
    case "Alternative":
      return sum(node.elements, isRepeated);
    case "Group":
      return (isRepeated ? node.alternatives.length - 1 : 0) + sum(node.alternatives, isRepeated);
    case "CapturingGroup":
      return (isRepeated ? node.alternatives.length : 0) + sum(node.alternatives, isRepeated);
    case "Quantifier": {
      const inside = isRepeated || node.max > 1;
      return (inside ? 1 : 0) + pendingInRepetitions(node.element, inside);
    }
    default:
      return 0;
  }
}

function sum(nodes: readonly (AST.Element | AST.Alternative)[], isRepeated: boolean): number {
  return nodes.reduce((total, node) => total + pendingInRepetitions(node, isRepeated), 0);
}
