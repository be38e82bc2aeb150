import type { Expression } from "../../artifact/expression.js";
import { allParts, partsIn, slotsIn } from "../../artifact/expression-parts.js";
import type { SlotShape } from "./scope.js";

type Binary = Expression & { readonly kind: "binary" };

/** Whether a part is a value that the text of the contract gives. */
function isLiteral(part: Expression): boolean {
  return part.kind === "literal" || part.kind === "number";
}

function chainOf(part: Expression, kind: "and" | "or"): readonly Expression[] {
  return part.kind === kind ? [...chainOf(part.left, kind), ...chainOf(part.right, kind)] : [part];
}

/** Two comparisons of one value that leave nothing, or everything: `x == "a" && x == "b"`, `x != "a" || x != "b"`. */
export interface Contradiction {
  readonly kind: "never" | "always";
  readonly part: Expression;
  readonly first: Binary;
  readonly second: Binary;
}

function contradictionIn(part: Expression & { readonly kind: "and" | "or" }): Contradiction | null {
  const op = part.kind === "and" ? "==" : "!=";
  const seen = new Map<string, Binary>();
  for (const each of chainOf(part, part.kind)) {
    if (each.kind !== "binary" || each.op !== op || !isLiteral(each.right) || isLiteral(each.left)) continue;
    const value = JSON.stringify(each.left);
    const first = seen.get(value);
    if (first === undefined) seen.set(value, each);
    else if (JSON.stringify(first.right) !== JSON.stringify(each.right))
      return { kind: part.kind === "and" ? "never" : "always", part, first, second: each };
  }
  return null;
}

/** Every chain of `&&` or `||` that contradicts itself, or holds whatever the value is. */
export function* contradictionsIn(part: Expression, outer: Expression["kind"] | null = null): Generator<Contradiction> {
  // A chain is looked at as a whole.
  if ((part.kind === "and" || part.kind === "or") && part.kind !== outer) {
    const found = contradictionIn(part);
    if (found !== null) yield found;
  }
  for (const inner of partsIn(part)) yield* contradictionsIn(inner, part.kind);
}

/** Whether a value is a sum of what tools have answered, and has not been rounded. */
function isRawSum(part: Expression, outputs: ReadonlySet<string>): boolean {
  const isSum =
    (part.kind === "binary" && (part.op === "+" || part.op === "-")) || (part.kind === "call" && part.fn === "sum");
  if (!isSum) return false;
  const parts = allParts(part);
  // Texts and lists are joined by `+` too.
  if (parts.some((each) => (each.kind === "literal" && typeof each.value === "string") || each.kind === "list"))
    return false;
  const readsOutput = parts.some((each) => each.kind === "variable" && each.name === "output");
  const isTime = parts.some((each) => each.kind === "call" && (each.fn === "timestamp" || each.fn === "duration"));
  return !isTime && (readsOutput || [...slotsIn(part)].some((slot) => outputs.has(slot)));
}

/** Comparisons for equality with a sum of outputs, whose last digits are noise. */
export function exactSums(tree: Expression, outputs: ReadonlySet<string>): readonly Binary[] {
  return allParts(tree).filter(
    (part): part is Binary =>
      part.kind === "binary" &&
      (part.op === "==" || part.op === "!=") &&
      (isRawSum(part.left, outputs) || isRawSum(part.right, outputs)),
  );
}

/** Whether a part is `args.x == "a"`, `args.x in […]` or `tool == "a"`: what an if/then begins with. */
function isCase(part: Expression): boolean {
  if (part.kind !== "binary" || (part.op !== "==" && part.op !== "in")) return false;
  const isGiven = isLiteral(part.right) || (part.right.kind === "list" && part.right.items.every(isLiteral));
  return isGiven && (part.left.kind === "variable" ? part.left.name === "tool" : isArgument(part.left));
}

function isArgument(part: Expression): boolean {
  if (part.kind === "member") return isArgument(part.of) || (part.of.kind === "variable" && part.of.name === "args");
  return false;
}

/** The first side of `a && b` where `if a then b` may be meant: it pins an argument to a value. */
export function implicationIn(tree: Expression): Expression | null {
  const [first, second] = tree.kind === "and" ? chainOf(tree, "and") : [];
  return first !== undefined && second !== undefined && isCase(first) && !isCase(second) ? first : null;
}

/** A slot that a part reads, with the keys that it gives and those that the slot has; null for any other part. */
function slotRead(part: Expression, slots: ReadonlyMap<string, SlotShape> | null) {
  let given = 0;
  let of = part;
  for (; of.kind === "index"; of = of.of) given += 1;
  const shape = of.kind === "slot" ? slots?.get(of.name) : undefined;
  if (of.kind !== "slot" || shape === undefined || shape.kind === "union") return null;
  return { name: of.name, given, depth: shape.kind === "keyed" ? shape.depth : 0 };
}

/** The slot that a part reads a value of: itself if it is plain, one of its entries if it is keyed. */
function slotValue(part: Expression, slots: ReadonlyMap<string, SlotShape> | null): string | null {
  const read = slotRead(part, slots);
  return read !== null && read.given === read.depth ? read.name : null;
}

/** How a keyed slot is written with all of its keys, where a part gives fewer; null for any other part. */
export function withKeys(part: Expression, slots: ReadonlyMap<string, SlotShape> | null): string | null {
  const read = slotRead(part, slots);
  if (read === null || read.given >= read.depth) return null;
  return `slots.${read.name}${keyPlaces(read.depth)}`;
}

/** The keys of a slot, as help writes them: `[key]`, or `[key1][key2]`. */
export function keyPlaces(depth: number): string {
  return depth === 1 ? "[key]" : Array.from({ length: depth }, (_, index) => `[key${index + 1}]`).join("");
}

/** The slots of which an expression asks whether they have a value, or a key. */
export function guardedSlots(tree: Expression): readonly string[] {
  return allParts(tree).flatMap((part) => {
    if (part.kind === "has_slot") return [part.name];
    return part.kind === "binary" && part.op === "in" ? [...slotsIn(part.right)] : [];
  });
}

/** Conditions such as `slots.done[k] != true` and `!slots.done[k]`, which cannot be judged as long as the slot has no value. */
export function unsetComparisons(
  tree: Expression,
  slots: ReadonlyMap<string, SlotShape> | null,
): readonly { readonly part: Expression; readonly of: Expression; readonly slot: string }[] {
  const guarded = guardedSlots(tree);
  return allParts(tree).flatMap((part) => {
    const isUnequal = part.kind === "binary" && part.op === "!=" && isLiteral(part.right);
    const of = isUnequal ? part.left : part.kind === "not" ? part.of : null;
    const slot = of === null ? null : slotValue(of, slots);
    return of === null || slot === null || guarded.includes(slot) ? [] : [{ part, of, slot }];
  });
}
