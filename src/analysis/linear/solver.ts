import {
  type Atom,
  atom,
  constantOf,
  type Formula,
  isRelated,
  type Linear,
  type Relation,
  subtracted,
  variable,
} from "./formula.js";
import { compare, divided, type Fraction, floorAt, minus, negative, ONE, plus, times, ZERO } from "./fraction.js";
import { compareNear, floorNear, isWholeNear, moved, type Near, near } from "./near.js";
import { Simplex, type Snapshot } from "./simplex.js";

/** Whether there are values: none, some, or unknown because the search was cut. */
export type Answer = "none" | "found" | "cut";

type Parts = Exclude<Formula, boolean>;
type Choice = Exclude<Parts, Atom>;

/** What of a formula still has to be looked at. */
interface Open {
  readonly choices: readonly Choice[];
  /** Those that bounds cannot state: other than 0, whole, not whole. */
  readonly splits: readonly Atom[];
}

const NEAR_ZERO = near(ZERO);

function fits(relation: Relation, value: Near): boolean {
  return isRelated(relation, compareNear(value, NEAR_ZERO), isWholeNear(value));
}

/** Finds numbers that meet conditions, or shows that there are none: sums by the simplex method, all else by trying both sides. */
export class Solver {
  private readonly simplex = new Simplex();
  private readonly defined = new Map<string, number>();
  private left: number;
  private open: Open = { choices: [], splits: [] };
  private at: Snapshot | null = null;

  constructor(
    variables: number,
    /** How many times it may try a side. */
    most: number,
  ) {
    this.left = most;
    for (let each = 0; each < variables; each++) this.simplex.variable();
  }

  /** Adds a condition. Afterwards the values meet it and those before, or it was not added. */
  add(formula: Formula): Answer {
    if (typeof formula === "boolean") return formula ? this.again() : "none";
    const before = this.simplex.snapshot();
    const answer = this.search(this.open, [formula]);
    if (answer !== "found") this.simplex.restore(before);
    return answer;
  }

  private again(): Answer {
    return this.at === null ? this.search(this.open, []) : "found";
  }

  /** The value of a variable; strict bounds are kept by the same small distance everywhere. */
  values(count: number): readonly Fraction[] {
    const distance = this.distance();
    return Array.from({ length: count }, (_, at) => {
      const { at: value, by } = this.simplex.valueOf(at);
      return plus(value, times(by, distance));
    });
  }

  private distance(): Fraction {
    let distance = ONE;
    const { lower, upper, values } = this.simplex.snapshot();
    for (const [at, value] of values.entries())
      for (const [low, high] of [
        [lower[at], value],
        [value, upper[at]],
      ] as const) {
        if (low === null || low === undefined || high === null || high === undefined) continue;
        const room = minus(high.at, low.at);
        const loss = minus(low.by, high.by);
        if (room.top <= 0n || loss.top <= 0n) continue;
        const most = divided(room, loss);
        if (compare(most, distance) < 0) distance = most;
      }
    // No value that was told apart from 0 or from a whole number may become one; small enough distances keep them apart.
    return this.apart(divided(distance, { top: 2n, over: 1n }));
  }

  private apart(most: Fraction): Fraction {
    let distance = most;
    const sized = (sum: Linear) => {
      const { at, by } = this.valueOf(sum);
      return near(plus(at, times(by, distance)));
    };
    const isLost = () => [...this.open.splits, ...this.open.choices].some((part) => !isMet(part, sized));
    while (isLost()) distance = divided(distance, { top: 3n, over: 1n });
    return distance;
  }

  /** Tries to give a variable one of some values, the best first; what was added stays met. */
  prefer(at: number, wanted: readonly Fraction[]): boolean {
    return wanted.some(
      (value) =>
        this.add({
          kind: "atom",
          sum: subtracted(variable(at), constantOf(value)),
          relation: "=",
        }) === "found",
    );
  }

  private valueOf({ terms, constant }: Linear): Near {
    let sum = near(constant);
    for (const [at, factor] of terms) sum = moved(sum, this.simplex.valueOf(at), factor);
    return sum;
  }

  private assert({ sum: { terms, constant }, relation }: Atom): void {
    const { at, factor } = this.place(terms);
    const bound = divided(negative(constant), factor);
    const isTurned = factor.top < 0n;
    const by = relation !== "<" ? ZERO : isTurned ? ONE : negative(ONE);
    if (relation === "=" || !isTurned) this.simplex.atMost(at, near(bound, by));
    if (relation === "=" || isTurned) this.simplex.atLeast(at, near(bound, by));
  }

  /** The variable that stands for a sum, and how many times. */
  private place(terms: ReadonlyMap<number, Fraction>): {
    readonly at: number;
    readonly factor: Fraction;
  } {
    const sorted = [...terms].sort(([a], [b]) => a - b);
    const [one, other] = sorted;
    if (one === undefined) return { at: 0, factor: ONE };
    const [first, factor] = one;
    if (other === undefined) return { at: first, factor };
    const unit = sorted.map(([at, of]) => [at, divided(of, factor)] as const);
    const text = unit.map(([at, { top, over }]) => `${at}:${top}/${over}`).join(" ");
    const at = this.defined.get(text) ?? this.simplex.define(new Map(unit));
    this.defined.set(text, at);
    return { at, factor };
  }

  /** Adds conditions to what is met, and tries one side after the other of what is not. */
  private search(from: Open, added: readonly Parts[]): Answer {
    const [choices, splits] = [[...from.choices], [...from.splits]];
    const rest = [...added];
    for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
      if (part.kind === "any") choices.push(part);
      else if (part.kind === "all")
        for (const each of part.of) {
          if (each === false) return "none";
          if (each !== true) rest.push(each);
        }
      else if (part.relation === "!=" || part.relation === "whole" || part.relation === "broken") splits.push(part);
      else this.assert(part);
    }
    if (!this.simplex.check()) return "none";
    const open = { choices, splits };
    const split = splits.find(({ sum, relation }) => !fits(relation, this.valueOf(sum)));
    if (split !== undefined) return this.either(open, this.sides(split));
    const choice = choices.find((each) => !isMet(each, (sum) => this.valueOf(sum)));
    if (choice !== undefined) {
      const left = {
        choices: choices.filter((each) => each !== choice),
        splits,
      };
      return this.either(left, choice.of);
    }
    this.open = open;
    this.at = this.simplex.snapshot();
    return "found";
  }

  private either(open: Open, sides: readonly Formula[]): Answer {
    const before = this.simplex.snapshot();
    let isCut = false;
    for (const side of sides) {
      if (side === false) continue;
      this.left -= 1;
      if (this.left < 0) return "cut";
      const answer = this.search(open, side === true ? [] : [side]);
      if (answer === "found") return answer;
      isCut ||= answer === "cut";
      this.simplex.restore(before);
    }
    return isCut ? "cut" : "none";
  }

  /** The two sides of the value that a sum must not have. */
  private sides({ sum, relation }: Atom): readonly Formula[] {
    const value = this.valueOf(sum);
    const below = (bound: Fraction, of: Relation) => atom(subtracted(sum, constantOf(bound)), of);
    const above = (bound: Fraction, of: Relation) => atom(subtracted(constantOf(bound), sum), of);
    if (relation !== "whole") return [below(value.at, "<"), above(value.at, "<")];
    const low: Fraction = { top: floorNear(value), over: 1n };
    return [below(low, "<="), above(plus(low, ONE), "<=")];
  }
}

function isMet(formula: Formula, read: (sum: Linear) => Near): boolean {
  if (typeof formula === "boolean") return formula;
  if (formula.kind === "all") return formula.of.every((each) => isMet(each, read));
  if (formula.kind === "any") return formula.of.some((each) => isMet(each, read));
  return fits(formula.relation, read(formula.sum));
}

/** Plain values near one: whole, then with more and more decimals. */
export function plainValues(value: Fraction): readonly Fraction[] {
  return [0, 1, 2, 4, 6].flatMap((places) => {
    const low = floorAt(value, places);
    return [low, plus(low, { top: 1n, over: 10n ** BigInt(places) })];
  });
}
