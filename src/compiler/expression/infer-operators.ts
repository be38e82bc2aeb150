import type { Expression } from "../../artifact/expression.js";
import { compare, type Decimal, trimmed } from "../../base/decimal.js";
import { hasNoValue, NEVER, type Outcome, truth, valued } from "./outcome.js";
import { ANYTHING, eitherOf, listOf, type Shape } from "./shape.js";
import type { Judge } from "./surprise.js";
import type { ValueKind } from "./value-kind.js";

type Binary = Expression & { readonly kind: "binary" };

/** `of.name`, or `of["name"]`. */
export function inferMember(
  inferrer: Judge,
  part: Expression & { readonly kind: "member" | "index" },
  { of, name }: { readonly of: Outcome; readonly name: string },
): Outcome {
  const { kinds } = of.shape;
  if (kinds.size === 0) return NEVER;
  if (!kinds.has("map")) {
    inferrer.surprises.push({
      kind: "wrong_operand",
      part: part.of,
      found: kinds,
      wanted: ["map"],
      usage: `x.${name}`,
    });
    return NEVER;
  }
  const { presence, shape } = of.shape.member(name);
  if (presence !== "never") return valued(shape, of.mayFail || presence === "maybe" || kinds.size > 1);
  inferrer.surprises.push({ kind: "excluded_member", part, name, of: of.shape });
  return NEVER;
}

const ORDERED: readonly ValueKind[] = ["number", "string", "timestamp", "duration"];

/** What `+` and `-` make of two kinds. */
const SUMS: readonly (readonly [ValueKind, ValueKind, ValueKind])[] = [
  ["number", "number", "number"],
  ["string", "string", "string"],
  ["list", "list", "list"],
  ["timestamp", "duration", "timestamp"],
  ["duration", "timestamp", "timestamp"],
  ["duration", "duration", "duration"],
];
const DIFFERENCES: readonly (readonly [ValueKind, ValueKind, ValueKind])[] = [
  ["number", "number", "number"],
  ["timestamp", "timestamp", "duration"],
  ["timestamp", "duration", "timestamp"],
  ["duration", "duration", "duration"],
];
const PRODUCTS: readonly (readonly [ValueKind, ValueKind, ValueKind])[] = [["number", "number", "number"]];

function decimalOf(digits: string): Decimal {
  const [mantissa = "0", exponent = "0"] = digits.split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return trimmed({ digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length });
}

/** How two known values compare; null where one is not known. */
function comparedWith(left: Outcome, right: Outcome): number | null {
  if (left.digits !== undefined && right.digits !== undefined)
    return compare(decimalOf(left.digits), decimalOf(right.digits));
  const [a, b] = [left.known, right.known];
  const isSimple = (value: unknown) => typeof value === "string" || typeof value === "boolean" || value === null;
  if (a === undefined || b === undefined || !isSimple(a) || !isSimple(b)) return null;
  return a === b ? 0 : 1;
}

function areApart(left: Shape, right: Shape): boolean {
  return left.kinds.size > 0 && right.kinds.size > 0 && [...left.kinds].every((kind) => !right.kinds.has(kind));
}

function equality(inferrer: Judge, part: Binary, left: Outcome, right: Outcome): Outcome {
  const mayFail = left.mayFail || right.mayFail;
  const isEquality = part.op === "==";
  if (areApart(left.shape, right.shape)) {
    inferrer.surprises.push({ kind: "never_comparable", part, left: left.shape, right: right.shape });
    return truth(!isEquality, isEquality, mayFail);
  }
  const compared = comparedWith(left, right);
  if (compared === null) return truth(true, true, mayFail);
  return truth((compared === 0) === isEquality, (compared === 0) !== isEquality, mayFail);
}

function order(inferrer: Judge, part: Binary, left: Outcome, right: Outcome): Outcome {
  const shared = ORDERED.filter((kind) => left.shape.kinds.has(kind) && right.shape.kinds.has(kind));
  if (shared.length === 0) {
    inferrer.surprises.push({ kind: "never_comparable", part, left: left.shape, right: right.shape });
    return NEVER;
  }
  const mayFail = left.mayFail || right.mayFail || left.shape.kinds.size > 1 || right.shape.kinds.size > 1;
  if (left.digits === undefined || right.digits === undefined) return truth(true, true, mayFail);
  const compared = compare(decimalOf(left.digits), decimalOf(right.digits));
  const isTrue =
    part.op === "<" ? compared < 0 : part.op === "<=" ? compared <= 0 : part.op === ">" ? compared > 0 : compared >= 0;
  return truth(isTrue, !isTrue, mayFail);
}

/** Whether a known value is in a list of known items, or a text a key of a map; null where that is not certain. */
function knownMembership(left: Outcome, right: Outcome): boolean | null {
  if (left.known === undefined && left.digits === undefined) return null;
  if (right.items !== undefined) {
    const compared = right.items.map((item) =>
      areApart(left.shape, item.shape) ? 1 : (comparedWith(left, item) ?? "unknown"),
    );
    return compared.includes(0) ? true : compared.includes("unknown") ? null : false;
  }
  if (typeof left.known !== "string" || right.shape.kinds.size !== 1 || !right.shape.kinds.has("map")) return null;
  const { presence } = right.shape.member(left.known);
  return presence === "maybe" ? null : presence === "always";
}

function membership(inferrer: Judge, part: Binary, left: Outcome, right: Outcome): Outcome {
  const { kinds } = right.shape;
  if (!kinds.has("list") && !kinds.has("map")) {
    inferrer.surprises.push({ kind: "never_comparable", part, left: left.shape, right: right.shape });
    return NEVER;
  }
  if (inferrer.isUnset(part.right)) return truth(false, true, left.mayFail);
  const isIn = knownMembership(left, right);
  if (isIn !== null) return truth(isIn, !isIn, left.mayFail || right.mayFail);
  const mayFail = left.mayFail || right.mayFail || kinds.size > 1 || kinds.has("map");
  const items = kinds.has("map") ? ANYTHING : right.shape.items();
  if (!areApart(left.shape, items)) return truth(true, true, mayFail);
  inferrer.surprises.push({ kind: "never_comparable", part, left: left.shape, right: right.shape });
  return truth(false, true, mayFail);
}

function arithmetic(inferrer: Judge, part: Binary, left: Outcome, right: Outcome): Outcome {
  const table = part.op === "+" ? SUMS : part.op === "-" ? DIFFERENCES : PRODUCTS;
  const results = table
    .filter(([a, b]) => left.shape.kinds.has(a) && right.shape.kinds.has(b))
    .map(([, , kind]) => kind);
  if (results.length === 0) {
    inferrer.surprises.push({ kind: "never_comparable", part, left: left.shape, right: right.shape });
    return NEVER;
  }
  const items = eitherOf([left.shape.items(), right.shape.items()]);
  return valued({ ...listOf(items), kinds: new Set(results) }, true);
}

/** An operator of two values. */
export function inferBinary(inferrer: Judge, part: Binary): Outcome {
  const left = inferrer.infer(part.left);
  const right = inferrer.infer(part.right);
  if (hasNoValue(left) || hasNoValue(right)) return NEVER;
  switch (part.op) {
    case "==":
    case "!=":
      return equality(inferrer, part, left, right);
    case "<":
    case "<=":
    case ">":
    case ">=":
      return order(inferrer, part, left, right);
    case "in":
      return membership(inferrer, part, left, right);
    default:
      return arithmetic(inferrer, part, left, right);
  }
}
