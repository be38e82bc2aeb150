import { quoted } from "../../../diagnostics/wording.js";
import { packExpressions } from "../../expression/pack-expressions.js";
import type { Shape } from "../../expression/shape.js";
import { kindWords, type ValueKind } from "../../expression/value-kind.js";
import { withKeys } from "../../expression/written-forms.js";
import { defineRule } from "../../rule.js";
import { surprisesOf } from "./surprise-rule.js";

interface Params {
  readonly message: string;
  readonly help: string;
  readonly isError: boolean;
}

interface Side {
  readonly text: string;
  readonly shape: Shape;
  /** How a keyed slot is written with its keys; null for anything else. */
  readonly keyed: string | null;
}

interface Sides {
  readonly op: string;
  readonly left: Side;
  readonly right: Side;
}

function isOnly(shape: Shape, kind: ValueKind): boolean {
  return shape.kinds.size === 1 && shape.kinds.has(kind);
}

function withKey(keyed: string): string {
  return `the slot has one value for each key: write \`${keyed}\`, with a key such as \`args.id\``;
}

/** What to write so that the two sides are of one kind. */
function repairOf({ op, left, right }: Sides): string {
  if (op === "in") {
    if (isOnly(right.shape, "list") && isOnly(right.shape.items(), "map"))
      return `write \`${right.text}.exists(x, x.id == ${left.text})\`, with the member that is meant`;
    if (isOnly(right.shape, "string")) return `write \`${right.text}.contains(${left.text})\``;
    return "write a list, or a map with the value as a key, on the right of `in`";
  }
  const sides = [left, right];
  const keyed = sides.find((side) => side.keyed !== null)?.keyed ?? null;
  if (keyed !== null) return withKey(keyed);
  const nothing = sides.find(({ shape }) => isOnly(shape, "null"));
  if (nothing !== undefined) return "null is never accepted here; whether a member is there says `has(x.name)`";
  // Times in JSON are texts, also where it is not known what is there.
  const [spelled, timed] = left.shape.kinds.has("string") ? [left, right] : [right, left];
  if (spelled.shape.kinds.has("string")) {
    if (isOnly(timed.shape, "timestamp")) return `write \`timestamp(${spelled.text})\``;
    if (isOnly(timed.shape, "duration")) return `write \`duration(${spelled.text})\``;
  }
  const text = sides.find(({ shape }) => isOnly(shape, "string"));
  const other = sides.find((side) => side !== text);
  if (text !== undefined && other !== undefined) {
    if (isOnly(other.shape, "number") && op === "+") return `write \`string(${other.text})\` to join them`;
    if (isOnly(other.shape, "number")) return `write the number without quotes, or \`double(${text.text})\``;
  }
  return "compare values of one kind";
}

function wordsOf(sides: Sides): string {
  const { op, left, right } = sides;
  const found = `${quoted(left.text)} is ${kindWords(left.shape.kinds)} and ${quoted(right.text)} is ${kindWords(right.shape.kinds)}`;
  if (op === "==") return `${found}, so they are never equal`;
  if (op === "!=") return `${found}, so they are always unequal`;
  if (op === "in")
    return isOnly(right.shape, "list")
      ? `${quoted(left.text)} is ${kindWords(left.shape.kinds)} and no item of ${quoted(right.text)} is`
      : found;
  return `${found}, and ${quoted(op)} does not take them`;
}

/** Values of kinds that do not go together give a rule that nothing can satisfy. */
export const wrongKind = defineRule<Params>({
  code: "wrong_kind",
  stage: "resolve",
  severity: "warning",
  isError: ({ isError }) => isError,
  what: "An operator or function gets values of a kind that it never takes, or compares values of kinds that are never equal.",
  why: "By the schema of the tool the values are always of these kinds, so the part is never true, or can never be judged.",
  fix: "Convert one of the values, or compare with a value of the same kind.",
  message: ({ message }) => message,
  help: ({ help }) => help,
  check(context, report) {
    const { slots } = packExpressions(context).surroundings;
    for (const { span, surprise, use, textOf } of surprisesOf(context, "never_comparable")) {
      const { part, left, right } = surprise;
      const sides = {
        op: part.op,
        left: { text: textOf(part.left), shape: left, keyed: withKeys(part.left, slots) },
        right: { text: textOf(part.right), shape: right, keyed: withKeys(part.right, slots) },
      };
      const params = { message: wordsOf(sides), help: repairOf(sides), isError: part.op !== "!=" };
      report(span, params, use.owner?.name);
    }
    for (const { span, surprise, use, textOf } of surprisesOf(context, "wrong_operand")) {
      const { part, found, wanted, usage } = surprise;
      const message = `${quoted(textOf(part))} is ${kindWords(found)}, and ${kindWords(wanted)} is needed`;
      const keyed = withKeys(part, slots);
      const help = keyed === null ? `it is used as in \`${usage}\`` : withKey(keyed);
      report(span, { message, help, isError: true }, use.owner?.name);
    }
  },
});
