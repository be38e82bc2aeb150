import type { Expression } from "../../../artifact/expression.js";
import { listingCost, ownKeys, spend } from "../../../base/cost.js";
import { unreachable } from "../../../base/invariant.js";
import type { JsonObject } from "../../../base/json.js";
import { Fault, worse } from "../fault.js";
import { type Evaluate, type Frame, MOST_STEPS, type Part } from "../frame.js";
import { isList, isPlainObject, kindOf, type Outcome, type Value, ValueMap } from "../value.js";
import { notBoolean } from "./logic.js";
import type { Prepare, Scope } from "./scope.js";
import { readWhole } from "./slot-part.js";

type MacroNode = Extract<Expression, { readonly kind: "macro" }>;

/** What more steps than allowed lead to; nothing absorbs it, because every further part takes a step too. */
export function outOfSteps(node: Expression): Fault {
  return new Fault("bound", node, "steps");
}

/** The cost of sorting one key of many. */
const SORT_COST = 250;

/**
 * The keys of an object, sorted: objects that are equal give the same list. A call that was stored is judged again with its
 * arguments in another order.
 */
function sortedKeys(object: JsonObject): readonly string[] {
  const keys = ownKeys(object);
  spend(listingCost(keys.length));
  if (keys.every((key, at) => at === 0 || (keys[at - 1] ?? "") < key)) return keys;
  spend(SORT_COST * keys.length);
  return [...keys].sort();
}

/** The items of a list, or the keys of a map. */
export function itemsOf(outcome: Outcome, frame: Frame, node: Expression): readonly Value[] | Fault {
  const value = readWhole(outcome, frame, node);
  if (value instanceof Fault) return value;
  if (isList(value)) return value;
  if (isPlainObject(value)) return sortedKeys(value);
  return value instanceof ValueMap ? [...value.entries.keys()] : new Fault("kind", node, kindOf(value));
}

/** Whether an item passes, given what the test of the macro says; ends the macro otherwise. */
interface Loop {
  readonly node: MacroNode;
  readonly over: Part;
  readonly test: Part | null;
  readonly result: Part | null;
  /** Where the variable is kept. */
  readonly at: number;
  /** The steps that each item takes. */
  readonly itemSteps: number;
}

function loopOf(node: MacroNode, scope: Scope, prepare: Prepare): Loop {
  const inner: Scope = { context: scope.context, locals: [...scope.locals, node.name] };
  const test = node.test === null ? null : prepare(node.test, inner);
  const result = node.result === null ? null : prepare(node.result, inner);
  // The result is evaluated only for items that pass a test.
  const always = test ?? result;
  return {
    node,
    over: prepare(node.over, scope),
    test,
    result,
    at: scope.locals.length,
    itemSteps: 1 + (always?.steps ?? 0),
  };
}

/** Prepares a macro over the items of a list or the keys of a map. */
export function macro(node: MacroNode, scope: Scope, prepare: Prepare): Part {
  const loop = loopOf(node, scope, prepare);
  return { run: runOf(node, loop), steps: loop.over.steps + 1 };
}

function runOf(node: MacroNode, loop: Loop): Evaluate {
  switch (node.macro) {
    case "all":
      return absorbing(loop, false);
    case "exists":
      return absorbing(loop, true);
    case "exists_one":
      return existsOne(loop);
    case "filter":
    case "map":
      return collecting(loop);
    default:
      return unreachable(node.macro);
  }
}

/** `all` and `exists`: one item that decides wins over others that cannot be judged. */
function absorbing({ node, over, test, at, itemSteps }: Loop, decisive: boolean): Evaluate {
  return (frame) => {
    const items = itemsOf(over.run(frame), frame, node.over);
    if (items instanceof Fault) return items;
    const locals = frame.ownLocals();
    let fault: Fault | null = null;
    for (let index = 0; index < items.length; index++) {
      frame.steps += itemSteps;
      if (frame.steps > MOST_STEPS) return outOfSteps(node);
      locals[at] = items[index] ?? null;
      const outcome = test === null ? !decisive : test.run(frame);
      if (outcome === decisive) return decisive;
      if (typeof outcome !== "boolean") fault = first(fault, notBoolean(outcome, node.test ?? node));
    }
    return fault ?? !decisive;
  };
}

function first(known: Fault | null, next: Fault): Fault {
  return known === null ? next : worse(known, next);
}

/** Whether exactly one item passes; one that cannot be judged leaves it open. */
function existsOne({ node, over, test, at, itemSteps }: Loop): Evaluate {
  return (frame) => {
    const items = itemsOf(over.run(frame), frame, node.over);
    if (items instanceof Fault) return items;
    const locals = frame.ownLocals();
    let awaited: Fault | null = null;
    let found = 0;
    for (let index = 0; index < items.length; index++) {
      frame.steps += itemSteps;
      if (frame.steps > MOST_STEPS) return outOfSteps(node);
      locals[at] = items[index] ?? null;
      const outcome = test === null ? false : test.run(frame);
      if (outcome === true) found += 1;
      if (typeof outcome === "boolean") continue;
      const fault = notBoolean(outcome, node.test ?? node);
      // Whatever an output turns out to be, a later item may be one that cannot be judged.
      if (fault.kind !== "awaited") return fault;
      awaited ??= fault;
    }
    return awaited ?? found === 1;
  };
}

/** `filter` and `map`: an item that cannot be judged leaves the whole list open. */
function collecting(loop: Loop): Evaluate {
  const { node, over, at, itemSteps } = loop;
  return (frame) => {
    const items = itemsOf(over.run(frame), frame, node.over);
    if (items instanceof Fault) return items;
    const locals = frame.ownLocals();
    let awaited: Fault | null = null;
    const collected: Value[] = [];
    for (let index = 0; index < items.length; index++) {
      frame.steps += itemSteps;
      if (frame.steps > MOST_STEPS) return outOfSteps(node);
      const item = items[index] ?? null;
      locals[at] = item;
      const made = collectedOf(loop, item, frame);
      if (made === DROPPED) continue;
      if (!(made instanceof Fault)) collected.push(made);
      else if (made.kind !== "awaited") return made;
      else awaited ??= made;
    }
    return awaited ?? collected;
  };
}

/** An item that does not pass the test. */
const DROPPED: unique symbol = Symbol("dropped");

function collectedOf({ node, test, result }: Loop, item: Value, frame: Frame): Outcome | typeof DROPPED {
  const passes = test === null ? true : test.run(frame);
  if (passes === false) return DROPPED;
  if (passes !== true) return notBoolean(passes, node.test ?? node);
  if (result === null) return item;
  // Without a test its steps are those of every item.
  if (test !== null) frame.steps += result.steps;
  return readWhole(result.run(frame), frame, node);
}
