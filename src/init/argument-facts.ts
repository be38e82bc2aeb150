import { jsonLine } from "../base/clean.js";
import { isJsonList, isJsonObject, type Json } from "../base/json.js";

/** The scalars of a value by their definite paths. */
export type Leaves = ReadonlyMap<string, string | number | boolean>;

const DEEPEST = 4;
const MOST_LEAVES = 200;

function member(path: string, name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
}

/** The scalars of a value; lists are left out: which item is meant is not for a path to know. */
export function leavesOf(value: Json): Leaves {
  const leaves = new Map<string, string | number | boolean>();
  const walk = (part: Json, path: string, depth: number): void => {
    if (leaves.size >= MOST_LEAVES) return;
    // A number beyond the range of doubles is parsed as an infinite one, which no rule can name.
    if (typeof part === "number" && !Number.isFinite(part)) return;
    if (typeof part === "string" || typeof part === "number" || typeof part === "boolean") leaves.set(path, part);
    else if (isJsonObject(part) && !isJsonList(part) && depth < DEEPEST) {
      for (const [name, inner] of Object.entries(part)) walk(inner, member(path, name), depth + 1);
    }
  };
  walk(value, "$", 0);
  return leaves;
}

/** With more different texts an argument is no choice of a few. */
const MOST_CHOICES = 5;
/** A text has to be seen this often on average, or it may be any other. */
const TIMES_EACH = 4;
/** Nobody writes a longer text as a choice. */
const LONGEST_CHOICE = 80;

/** What one argument was in all calls of a tool. */
class ArgumentFacts {
  calls = 0;
  private least = Number.POSITIVE_INFINITY;
  private greatest = Number.NEGATIVE_INFINITY;
  private isNumber = true;
  private isChoice = true;
  private readonly texts = new Set<string>();

  add(value: string | number | boolean): void {
    this.calls += 1;
    if (typeof value === "number") {
      this.least = Math.min(this.least, value);
      this.greatest = Math.max(this.greatest, value);
    } else this.isNumber = false;
    if (typeof value === "string" && value.length > LONGEST_CHOICE) this.isChoice = false;
    else if (this.texts.size <= MOST_CHOICES) this.texts.add(jsonLine(value));
  }

  /** The operators that held in all calls, as YAML; null if nothing is worth saying. */
  draft(): string | null {
    if (this.isNumber && this.calls > 0) return `gte: ${this.least}, lte: ${this.greatest}`;
    const isChoice = this.isChoice && this.texts.size <= MOST_CHOICES && this.calls >= TIMES_EACH * this.texts.size;
    return isChoice ? `one_of: [${[...this.texts].join(", ")}]` : null;
  }
}

/** What the arguments of a tool were in all its calls. */
export class ToolArguments {
  private calls = 0;
  private readonly byPath = new Map<string, ArgumentFacts>();

  add(args: Leaves): void {
    this.calls += 1;
    for (const [path, value] of args) {
      const facts = this.byPath.get(path) ?? new ArgumentFacts();
      this.byPath.set(path, facts);
      facts.add(value);
    }
  }

  /** Bounds that held; an argument that some calls lack would block them. */
  drafts(): readonly { readonly path: string; readonly operators: string }[] {
    return [...this.byPath].flatMap(([path, facts]) => {
      const operators = facts.calls === this.calls ? facts.draft() : null;
      return operators === null ? [] : [{ path, operators }];
    });
  }
}
