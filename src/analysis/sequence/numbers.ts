import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { constantOf, type Linear, variable } from "../linear/formula.js";
import { exactly } from "../linear/fraction.js";

/** Unlike all numbers of contracts, so that it is seen where the guard put the number of a call. */
const FIRST_MARK = 8_675_309_000_001;

/** The numbers of some calls as variables: in their place stand marks that the guard carries through the session. */
export class Numbers {
  /** What each number was before. */
  readonly starts: number[] = [];

  /** A value with marks in place of its numbers, but for those that must stay. */
  marked(value: Json, kept: ReadonlySet<number>): Json {
    if (typeof value === "number") return kept.has(value) ? value : FIRST_MARK + this.starts.push(value) - 1;
    if (isJsonList(value)) return value.map((item) => this.marked(item, kept));
    return isJsonObject(value) ? this.markedObject(value, kept) : value;
  }

  markedObject(value: JsonObject, kept: ReadonlySet<number>): JsonObject {
    return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, this.marked(child, kept)]));
  }

  /** The variable that a mark stands for; null for everything else. */
  variableOf(value: unknown): number | null {
    const at = typeof value === "number" ? value - FIRST_MARK : -1;
    return Number.isInteger(at) && at >= 0 && at < this.starts.length ? at : null;
  }

  /** A number as a sum: a variable, or the number itself. */
  sumOf(value: number): Linear {
    const at = this.variableOf(value);
    return at === null ? constantOf(exactly(value)) : variable(at);
  }

  hasMark(value: Json): boolean {
    if (typeof value === "number") return this.variableOf(value) !== null;
    if (typeof value !== "object" || value === null) return false;
    return Object.values(value).some((child: Json) => this.hasMark(child));
  }

  /** A value with numbers in place of the marks. */
  filled(value: Json, numbers: readonly number[]): Json {
    if (typeof value === "number") return numbers[this.variableOf(value) ?? -1] ?? value;
    if (isJsonList(value)) return value.map((item) => this.filled(item, numbers));
    return isJsonObject(value) ? this.filledObject(value, numbers) : value;
  }

  filledObject(value: JsonObject, numbers: readonly number[]): JsonObject {
    return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, this.filled(child, numbers)]));
  }
}
