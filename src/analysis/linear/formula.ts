import { compare, type Fraction, isWhole, negative, ONE, plus, times, ZERO } from "./fraction.js";

/** A sum of variables, each by its number and with its factor, and a constant. */
export interface Linear {
  readonly terms: ReadonlyMap<number, Fraction>;
  readonly constant: Fraction;
}

/** What is asked of a sum: to be below 0, at most 0, 0, another number, whole, or not whole. */
export type Relation = "<" | "<=" | "=" | "!=" | "whole" | "broken";

export interface Atom {
  readonly kind: "atom";
  readonly sum: Linear;
  readonly relation: Relation;
}

/** A condition on numbers. */
export type Formula = boolean | Atom | Group<"all"> | Group<"any">;

interface Group<K extends "all" | "any"> {
  readonly kind: K;
  readonly of: readonly Formula[];
}

export const constantOf = (constant: Fraction): Linear => ({
  terms: new Map(),
  constant,
});

export const variable = (at: number): Linear => ({
  terms: new Map([[at, ONE]]),
  constant: ZERO,
});

export function scaled({ terms, constant }: Linear, by: Fraction): Linear {
  if (by.top === 0n) return constantOf(ZERO);
  return {
    terms: new Map([...terms].map(([at, factor]) => [at, times(factor, by)])),
    constant: times(constant, by),
  };
}

export function added(a: Linear, b: Linear): Linear {
  const terms = new Map(a.terms);
  for (const [at, factor] of b.terms) {
    const sum = plus(terms.get(at) ?? ZERO, factor);
    if (sum.top === 0n) terms.delete(at);
    else terms.set(at, sum);
  }
  return { terms, constant: plus(a.constant, b.constant) };
}

export const subtracted = (a: Linear, b: Linear): Linear => added(a, scaled(b, negative(ONE)));

/** What a relation says of a number, by its sign and whether it is whole. */
export function isRelated(relation: Relation, sign: number, isInteger: boolean): boolean {
  switch (relation) {
    case "<":
      return sign < 0;
    case "<=":
      return sign <= 0;
    case "=":
      return sign === 0;
    case "!=":
      return sign !== 0;
    case "whole":
      return isInteger;
    case "broken":
      return !isInteger;
  }
}

/** What a relation says of a number. */
export function holds(relation: Relation, value: Fraction): boolean {
  return isRelated(relation, compare(value, ZERO), isWhole(value));
}

/** A sum in a relation to 0; without variables it is decided at once. */
export function atom(sum: Linear, relation: Relation): Formula {
  return sum.terms.size === 0 ? holds(relation, sum.constant) : { kind: "atom", sum, relation };
}

export function all(of: readonly Formula[]): Formula {
  if (of.includes(false)) return false;
  const open = of.filter((part) => part !== true);
  return open.length === 0 ? true : { kind: "all", of: open };
}

export function any(of: readonly Formula[]): Formula {
  if (of.includes(true)) return true;
  const open = of.filter((part) => part !== false);
  return open.length === 0 ? false : { kind: "any", of: open };
}

/** The formula that holds where this one does not. */
export function not(formula: Formula): Formula {
  if (typeof formula === "boolean") return !formula;
  if (formula.kind === "all") return any(formula.of.map(not));
  if (formula.kind === "any") return all(formula.of.map(not));
  const { sum, relation } = formula;
  switch (relation) {
    case "<":
      return atom(scaled(sum, negative(ONE)), "<=");
    case "<=":
      return atom(scaled(sum, negative(ONE)), "<");
    case "=":
      return atom(sum, "!=");
    case "!=":
      return atom(sum, "=");
    case "whole":
      return atom(sum, "broken");
    case "broken":
      return atom(sum, "whole");
  }
}
