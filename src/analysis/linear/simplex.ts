import { divided, type Fraction, negative, ONE, plus, times, ZERO } from "./fraction.js";
import { compareNear, minusNear, moved, type Near, near } from "./near.js";

/** The bounds and values of a moment, to go back to. */
export interface Snapshot {
  readonly lower: readonly (Near | null)[];
  readonly upper: readonly (Near | null)[];
  readonly values: readonly Near[];
}

const NOTHING = near(ZERO);

/**
 * Whether sums of variables can be within their bounds at once: the simplex method on exact fractions. Each sum is a variable
 * of its own, which depends on others; by Bland's rule the search ends.
 */
export class Simplex {
  private lower: (Near | null)[] = [];
  private upper: (Near | null)[] = [];
  private values: Near[] = [];
  /** Those that depend on others, each with the factors of these. */
  private readonly rows = new Map<number, Map<number, Fraction>>();
  /** Sums as they were defined. */
  private readonly sums = new Map<number, ReadonlyMap<number, Fraction>>();

  variable(): number {
    this.lower.push(null);
    this.upper.push(null);
    return this.values.push(NOTHING) - 1;
  }

  /** A variable that is a sum of others, which are none. */
  define(terms: ReadonlyMap<number, Fraction>): number {
    const at = this.variable();
    const row = new Map<number, Fraction>();
    for (const [each, factor] of terms) addTo(row, this.rows.get(each) ?? new Map([[each, ONE]]), factor);
    this.rows.set(at, row);
    this.sums.set(at, terms);
    this.values[at] = this.sumOf(row);
    return at;
  }

  private sumOf(row: ReadonlyMap<number, Fraction>): Near {
    let sum = NOTHING;
    for (const [each, factor] of row) sum = moved(sum, this.valueOf(each), factor);
    return sum;
  }

  valueOf(at: number): Near {
    return this.values[at] ?? NOTHING;
  }

  /** Asks for at least so much. */
  atLeast(at: number, bound: Near): void {
    const known = this.lower[at];
    if (known === null || known === undefined || compareNear(bound, known) > 0) this.lower[at] = bound;
    if (!this.rows.has(at) && compareNear(this.valueOf(at), bound) < 0) this.update(at, bound);
  }

  /** Asks for at most so much. */
  atMost(at: number, bound: Near): void {
    const known = this.upper[at];
    if (known === null || known === undefined || compareNear(bound, known) < 0) this.upper[at] = bound;
    if (!this.rows.has(at) && compareNear(this.valueOf(at), bound) > 0) this.update(at, bound);
  }

  snapshot(): Snapshot {
    return {
      lower: [...this.lower],
      upper: [...this.upper],
      values: [...this.values],
    };
  }

  /** Goes back to a moment at which `check` had succeeded; sums defined since stay, without bounds. */
  restore({ lower, upper, values }: Snapshot): void {
    for (const at of this.values.keys()) {
      this.lower[at] = lower[at] ?? null;
      this.upper[at] = upper[at] ?? null;
      this.values[at] = values[at] ?? this.valueOf(at);
    }
    for (const [at, terms] of this.sums) if (at >= values.length) this.values[at] = this.sumOf(terms);
  }

  private update(at: number, value: Near): void {
    const change = minusNear(value, this.valueOf(at));
    for (const [dependent, row] of this.rows) {
      const factor = row.get(at);
      if (factor !== undefined) this.values[dependent] = moved(this.valueOf(dependent), change, factor);
    }
    this.values[at] = value;
  }

  private isBelow(at: number): boolean {
    const bound = this.lower[at];
    return bound !== null && bound !== undefined && compareNear(this.valueOf(at), bound) < 0;
  }

  private isAbove(at: number): boolean {
    const bound = this.upper[at];
    return bound !== null && bound !== undefined && compareNear(this.valueOf(at), bound) > 0;
  }

  private mayChange(at: number, direction: number): boolean {
    const bound = direction > 0 ? this.upper[at] : this.lower[at];
    return bound === null || bound === undefined || compareNear(this.valueOf(at), bound) !== 0;
  }

  /** Whether values are found within all bounds; if not, there are none. */
  check(): boolean {
    for (const [at, bound] of this.lower.entries()) {
      const other = this.upper[at];
      if (bound !== null && other !== null && other !== undefined && compareNear(bound, other) > 0) return false;
    }
    while (true) {
      let broken: number | null = null;
      for (const at of this.rows.keys())
        if ((broken === null || at < broken) && (this.isBelow(at) || this.isAbove(at))) broken = at;
      if (broken === null) return true;
      const direction = this.isBelow(broken) ? 1 : -1;
      const target = direction > 0 ? this.lower[broken] : this.upper[broken];
      const entering = this.entering(broken, direction);
      if (entering === null || target === null || target === undefined) return false;
      this.exchange(broken, entering, target);
    }
  }

  /** The first variable by which a sum can be moved in a direction. */
  private entering(at: number, direction: number): number | null {
    let found: number | null = null;
    for (const [each, { top }] of this.rows.get(at) ?? []) {
      const way = top > 0n ? direction : -direction;
      if ((found === null || each < found) && this.mayChange(each, way)) found = each;
    }
    return found;
  }

  /** Makes a sum free, at a value, and the other variable depend on it. */
  private exchange(leaving: number, entering: number, value: Near): void {
    const row = this.rows.get(leaving) ?? new Map<number, Fraction>();
    const factor = row.get(entering) ?? ONE;
    const step = minusNear(value, this.valueOf(leaving));
    this.update(entering, moved(this.valueOf(entering), step, divided(ONE, factor)));
    this.rows.delete(leaving);
    const turned = new Map([[leaving, divided(ONE, factor)]]);
    for (const [each, of] of row) if (each !== entering) turned.set(each, negative(divided(of, factor)));
    for (const other of this.rows.values()) {
      const of = other.get(entering);
      if (of === undefined) continue;
      other.delete(entering);
      addTo(other, turned, of);
    }
    this.rows.set(entering, turned);
  }
}

function addTo(row: Map<number, Fraction>, terms: ReadonlyMap<number, Fraction>, factor: Fraction): void {
  for (const [each, of] of terms) {
    const sum = plus(row.get(each) ?? ZERO, times(of, factor));
    if (sum.top === 0n) row.delete(each);
    else row.set(each, sum);
  }
}
