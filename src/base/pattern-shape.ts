import type { AST } from "@eslint-community/regexpp";
import { codePointsOf } from "./character-set.js";
import { type CodePointSet, NO_CODE_POINTS, union } from "./code-point-set.js";

/** How a match can begin. */
export interface Beginning {
  /** The code points that can be the first. */
  readonly first: CodePointSet;
  /** How many characters, classes and assertions of the pattern an engine may have to try against the first one. */
  readonly candidates: number;
}

/**
 * What a part of a pattern can match. Assertions count as matching the empty text wherever they are, so `nullable`
 * and `first` may claim too much, never too little.
 */
export interface Shape extends Beginning {
  readonly nullable: boolean;
  /** The code points of the longest match; infinite under `*`. */
  readonly longest: number;
}

/** The beginning where the match is already complete. */
export const NOTHING: Beginning = { first: NO_CODE_POINTS, candidates: 0 };

/** Shapes already computed, because every pass over a pattern asks for them again. */
export type Shapes = Map<AST.Element | AST.Alternative, Shape>;

const ASSERTION: Shape = { first: NO_CODE_POINTS, candidates: 1, nullable: true, longest: 0 };

/** Beginning as any of the parts can. */
export function anyOf(...parts: readonly Beginning[]): Beginning {
  return {
    first: union(...parts.map((part) => part.first)),
    candidates: parts.reduce((sum, part) => sum + part.candidates, 0),
  };
}

/** The shape of one element or one branch. */
export function shapeOf(node: AST.Element | AST.Alternative, shapes: Shapes): Shape {
  const cached = shapes.get(node);
  if (cached !== undefined) return cached;
  const shape = computeShape(node, shapes);
  shapes.set(node, shape);
  return shape;
}

function computeShape(node: AST.Element | AST.Alternative, shapes: Shapes): Shape {
  switch (node.type) {
    case "Character":
    case "CharacterSet":
    case "CharacterClass":
      return { nullable: false, first: codePointsOf(node), candidates: 1, longest: 1 };
    case "Alternative":
      return shapeOfSequence(node.elements.map((element) => shapeOf(element, shapes)));
    case "Group":
    case "CapturingGroup":
      return shapeOfChoice(node.alternatives.map((branch) => shapeOf(branch, shapes)));
    case "Quantifier": {
      const { nullable, first, candidates, longest } = shapeOf(node.element, shapes);
      // 0 times infinity is not a number: what repeats nothing or not at all is empty.
      const product = longest === 0 || node.max === 0 ? 0 : longest * node.max;
      return { nullable: nullable || node.min === 0, first, candidates, longest: product };
    }
    default:
      return ASSERTION;
  }
}

function shapeOfSequence(parts: readonly Shape[]): Shape {
  const stop = parts.findIndex((part) => !part.nullable);
  const heads = stop === -1 ? parts : parts.slice(0, stop + 1);
  return {
    ...anyOf(...heads),
    nullable: stop === -1,
    longest: parts.reduce((sum, part) => sum + part.longest, 0),
  };
}

function shapeOfChoice(branches: readonly Shape[]): Shape {
  return {
    ...anyOf(...branches),
    nullable: branches.some((branch) => branch.nullable),
    longest: Math.max(...branches.map((branch) => branch.longest)),
  };
}
