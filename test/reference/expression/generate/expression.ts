import type { Random } from "../../../differential/generate/random.js";
import { SLOTS } from "./input.js";
import { makersOf } from "./makers.js";
import { pathsOf } from "./paths.js";
import type { Vocabulary } from "./vocabulary.js";

/** The kinds that parts of an expression are made for; `objects` and the like are lists of one kind. */
export const KINDS = [
  "boolean",
  "number",
  "string",
  "timestamp",
  "duration",
  "numbers",
  "strings",
  "objects",
  "object",
  "null",
] as const;
export type Kind = (typeof KINDS)[number];

/** What is around a part: how deep it may still get, and the variables of macros. */
export interface Around {
  readonly random: Random;
  readonly words: Vocabulary;
  /** The kinds that this case compares. */
  readonly compared: readonly Kind[];
  readonly depth: number;
  /** How many macros may still be nested. */
  readonly macros: number;
  readonly locals: readonly { readonly name: string; readonly kind: Kind }[];
  readonly hasOutput: boolean;
}

/** The text of a string literal. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}

export function someKey({ random, words }: Around): string {
  const key = random.pick(words.keys);
  return typeof key === "string" ? quoted(key) : String(key);
}

/** A literal, or something short that is nearly one. */
function literal(kind: Kind, { random, words }: Around): string {
  switch (kind) {
    case "boolean":
      return random.pick(["true", "false"]);
    case "number":
      return random.pick(words.numberTexts);
    case "string":
      return quoted(random.pick(words.words));
    case "timestamp":
      return random.chance(0.4) ? "now" : `timestamp(${quoted(random.pick(words.times))})`;
    case "duration":
      return `duration(${quoted(random.pick(words.lengths))})`;
    case "numbers":
      return `[${random.list(random.below(4), () => random.pick(words.numberTexts)).join(", ")}]`;
    case "strings":
      return random.chance(0.3)
        ? "labels"
        : `[${random.list(random.below(4), () => quoted(random.pick(words.words))).join(", ")}]`;
    case "objects":
      return random.pick(["args.lo", "[args.o]", "[]"]);
    case "object":
      return random.pick(["args.o", "constants.fees", '{"n": 1, "s": "a"}', `slots.${SLOTS.object}`]);
    case "null":
      return "null";
  }
}

/** A part of a kind; now and then one of another kind, which an operand must not be. */
export function part(wanted: Kind, around: Around): string {
  const { random, depth } = around;
  const kind = random.chance(0.02) ? random.pick(KINDS) : wanted;
  const own = around.locals.filter((local) => local.kind === kind);
  if (own.length > 0 && random.chance(0.45)) return random.pick(own).name;
  if (depth <= 0 || random.chance(0.12)) {
    const paths = pathsOf(kind, around);
    return paths.length > 0 && random.chance(0.7) ? random.pick(paths) : literal(kind, around);
  }
  return random.pick(makersOf(kind))({ ...around, depth: depth - 1 });
}

const COMPARED: readonly Kind[] = ["number", "string", "timestamp", "duration"];

/** A boolean expression. */
export function someExpression(random: Random, words: Vocabulary, hasOutput: boolean): string {
  const compared = random.list(2, () => random.pick(COMPARED));
  const depth = random.pick([1, 2, 2, 2, 3, 3, 4]);
  return part("boolean", { random, words, compared, depth, macros: 3, locals: [], hasOutput });
}
