import type { Expression } from "../../../artifact/expression.js";
import { ownKeys } from "../../../base/cost.js";
import { unreachable } from "../../../base/invariant.js";
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

/** The items of a list, or the keys of a map. */
export function itemsOf(outcome: Outcome, frame: Frame, node: Expression): readonly Value[] | Fault {
  const value = readWhole(outcome, frame, node);
  if (value instanceof Fault) return value;
  if (isList(value)) return value;
  if (isPlainObject(value)) return ownKeys(value);
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
    let fault: Fault | null = null;
    let found = 0;
    for (let index = 0; index < items.length; index++) {
      frame.steps += itemSteps;
      if (frame.steps > MOST_STEPS) return outOfSteps(node);
      locals[at] = items[index] ?? null;
      const outcome = test === null ? false : test.run(frame);
      if (outcome === true) found += 1;
      else if (outcome !== false) fault = first(fault, notBoolean(outcome, node.test ?? node));
    }
    return fault ?? found === 1;
  };
}

/** `filter` and `map`: an item that cannot be judged leaves the whole list open. */
function collecting({ node, over, test, result, at, itemSteps }: Loop): Evaluate {
  const resultSteps = test === null || result === null ? 0 : result.steps;
  return (frame) => {
    const items = itemsOf(over.run(frame), frame, node.over);
    if (items instanceof Fault) return items;
    const locals = frame.ownLocals();
    let fault: Fault | null = null;
    const collected: Value[] = [];
    for (let index = 0; index < items.length; index++) {
      frame.steps += itemSteps;
      if (frame.steps > MOST_STEPS) return outOfSteps(node);
      const item = items[index] ?? null;
      locals[at] = item;
      const passes = test === null ? true : test.run(frame);
      if (passes === false) continue;
      if (passes !== true) fault = first(fault, notBoolean(passes, node.test ?? node));
      else {
        frame.steps += resultSteps;
        const made = result === null ? item : readWhole(result.run(frame), frame, node);
        if (made instanceof Fault) fault = first(fault, made);
        else collected.push(made);
      }
    }
    return fault ?? collected;
  };
}
