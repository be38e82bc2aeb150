import type { ASTNode } from "@marcbachmann/cel-js";
import { FUNCTIONS } from "./functions.js";
import { isSlots, MACROS, namespaced } from "./language.js";
import { runMacro } from "./macros.js";
import { numeric, operate } from "./operators.js";
import { isDouble, negate } from "./rational.js";
import { readIndex, readLiteral, readMember, readVariable } from "./read.js";
import type { Answer, Input, Scope } from "./scope.js";
import { isBound, readSlot, whole } from "./slots.js";
import { Steps, TooManySteps } from "./steps.js";
import {
  boolean,
  type Entry,
  entryOf,
  type Failure,
  type Found,
  found,
  isKey,
  list,
  NULL,
  string,
  unjudgeable,
  type Value,
  WRONG_KIND,
} from "./value.js";

/** The failure that comes first: what cannot be judged, then what is awaited. */
export function failureOf(results: readonly Found[]): Failure | null {
  const failures = results.filter((result) => result.kind !== "value");
  return failures.find(({ kind }) => kind === "unjudgeable") ?? failures[0] ?? null;
}

function valuesOf(results: readonly Found[]): readonly Value[] {
  return results.flatMap((result) => (result.kind === "value" ? [result.value] : []));
}

/** All operands are evaluated; one that fails, fails the whole. */
function withOperands(nodes: readonly ASTNode[], scope: Scope, apply: (values: readonly Value[]) => Found): Found {
  const results = nodes.map((node) => evaluate(node, scope));
  return failureOf(results) ?? apply(valuesOf(results));
}

/** The same, with slots taken as a whole. */
function withWhole(nodes: readonly ASTNode[], scope: Scope, apply: (values: readonly Value[]) => Found): Found {
  const results = nodes.map((node) => asWhole(evaluate(node, scope)));
  return failureOf(results) ?? apply(valuesOf(results));
}

function asWhole(result: Found): Found {
  return result.kind === "value" ? whole(result.value) : result;
}

/** A member that is there and not null; of a plain slot, whether it is bound. */
function has(node: ASTNode | undefined, scope: Scope): Found {
  if (node?.op !== ".") throw new Error("has takes a member");
  const [of, name] = node.args;
  if (isSlots(of)) return isBound(scope.input.slots.get(name));
  return withOperands([of], scope, ([container = NULL]) => {
    if (container.kind === "keyed") {
      return withIn(operate("in", string(name), container), () => isNotNull(readMember(container, name)));
    }
    if (container.kind !== "map") return WRONG_KIND;
    const entry = entryOf(container.entries, string(name));
    return found(boolean(entry !== undefined && entry.value.kind !== "null"));
  });
}

function isNotNull(read: Found): Found {
  return read.kind === "value" ? found(boolean(read.value.kind !== "null")) : read;
}

/** What follows where a key is there; false where it is not. */
function withIn(isIn: Found, then: () => Found): Found {
  return isIn.kind === "value" && isIn.value.kind === "boolean" && isIn.value.value ? then() : isIn;
}

/** Anything but a boolean is of a wrong kind where one is wanted. */
export function asBoolean(result: Found): Found {
  return result.kind === "value" && result.value.kind !== "boolean" ? WRONG_KIND : result;
}

/** The value that decides wins over anything else; of what does not decide, a failure comes before the other value. */
export function decideBy(deciding: boolean, results: Iterable<Found>): Found {
  const seen: Found[] = [];
  for (const result of results) {
    const judged = asBoolean(result);
    if (judged.kind === "value" && judged.value.kind === "boolean" && judged.value.value === deciding) return judged;
    seen.push(judged);
  }
  return failureOf(seen) ?? found(boolean(!deciding));
}

function* each(nodes: readonly ASTNode[], scope: Scope): Generator<Found> {
  for (const node of nodes) yield evaluate(node, scope);
}

function choose([test, yes, no]: readonly [ASTNode, ASTNode, ASTNode], scope: Scope): Found {
  const result = asBoolean(evaluate(test, scope));
  if (result.kind !== "value" || result.value.kind !== "boolean") return result;
  return evaluate(result.value.value ? yes : no, scope);
}

function makeMap(nodes: readonly (readonly [ASTNode, ASTNode])[], scope: Scope): Found {
  return withWhole(nodes.flat(), scope, (values) => {
    const entries: Entry[] = [];
    for (const [at, key] of values.entries()) {
      if (at % 2 === 1) continue;
      if (!isKey(key)) return WRONG_KIND;
      if (key.kind === "number" && !isDouble(key.value)) return unjudgeable("a key that no double spells");
      if (entryOf(entries, key) !== undefined) return unjudgeable("a key that is there twice");
      entries.push({ key, value: values[at + 1] ?? NULL });
    }
    return found({ kind: "map", entries });
  });
}

function call(name: string, operands: readonly ASTNode[], scope: Scope): Found {
  if (name === "has") return has(operands[0], scope);
  const apply = FUNCTIONS.get(name);
  if (apply === undefined) throw new Error(`no function ${name}`);
  return withWhole(operands, scope, (values) => {
    const result = apply(values, scope.input);
    for (const value of [...values, ...valuesOf([result])])
      if (value.kind === "list") scope.steps.take(value.items.length);
    return result;
  });
}

/** The value of a part of an expression. */
export function evaluate(node: ASTNode, scope: Scope): Found {
  scope.steps.take();
  switch (node.op) {
    case "value":
      return found(readLiteral(node));
    case "id":
      return readVariable(node.args, scope);
    case ".": {
      const [of, name] = node.args;
      if (isSlots(of)) return readSlot(name, scope.input.slots.get(name));
      return withOperands([of], scope, ([value = NULL]) => readMember(value, name));
    }
    case "[]":
      return withOperands(node.args, scope, ([of = NULL, index = NULL]) => readIndex(of, index));
    case "!_": {
      const result = asBoolean(evaluate(node.args, scope));
      return result.kind === "value" && result.value.kind === "boolean" ? found(boolean(!result.value.value)) : result;
    }
    case "-_":
      return withOperands([node.args], scope, ([of]) =>
        of?.kind === "number" ? numeric(negate(of.value)) : WRONG_KIND,
      );
    case "&&":
      return decideBy(false, each(node.args, scope));
    case "||":
      return decideBy(true, each(node.args, scope));
    case "?:":
      return choose(node.args, scope);
    case "list":
      return withWhole(node.args, scope, (items) => found(list(items)));
    case "map":
      return makeMap(node.args, scope);
    case "call":
      return call(node.args[0], node.args[1], scope);
    case "rcall": {
      const [name, of, operands] = node.args;
      const full = namespaced(name, of);
      if (full !== null) return call(full, operands, scope);
      return MACROS.has(name) ? runMacro(name, of, operands, scope) : call(name, [of, ...operands], scope);
    }
    case ".?":
    case "[?]":
      throw new Error("not in the language");
    default: {
      const together = node.op === "in" ? withOperands : withWhole;
      return together(node.args, scope, ([left = NULL, right = NULL]) => {
        for (const side of [left, right]) if (side.kind === "list") scope.steps.take(side.items.length);
        return operate(node.op, left, right);
      });
    }
  }
}

/** The value of an expression; what takes too many steps cannot be judged. */
function resultOf(tree: ASTNode, input: Input): Found {
  try {
    return evaluate(tree, { input, locals: new Map(), steps: new Steps() });
  } catch (cause) {
    if (cause instanceof TooManySteps) return unjudgeable(cause.message);
    throw cause;
  }
}

/** The answer of a boolean expression. */
export function judge(tree: ASTNode, input: Input): Answer {
  const result = asBoolean(resultOf(tree, input));
  if (result.kind !== "value") return result.kind;
  return result.value.kind === "boolean" && result.value.value ? "true" : "false";
}
