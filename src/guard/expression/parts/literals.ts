import type { Expression } from "../../../artifact/expression.js";
import { decimalOfText } from "../../../base/decimal.js";
import { exactNumber, negate } from "../../../base/exact-number.js";
import { matcherOf, prepareMatchers } from "../../values/match-pattern.js";
import { Fault, worse } from "../fault.js";
import type { Evaluate, Part } from "../frame.js";
import type { SlotKey } from "../slot-reader.js";
import { isNumber, kindOf, type Outcome, type Value, ValueMap } from "../value.js";
import type { Prepare, Scope } from "./scope.js";
import { keyOf, readWhole } from "./slot-part.js";

type Of<K extends Expression["kind"]> = Extract<Expression, { readonly kind: K }>;

/** A text, a truth value or null. */
export function literal({ value }: Of<"literal">): Part {
  return { run: () => value, steps: 1 };
}

/** A number; one with too many digits has no value. */
export function number(node: Of<"number">): Part {
  const decimal = decimalOfText(node.text);
  const value: Outcome = decimal === null ? null : exactNumber(decimal);
  const outcome = value ?? new Fault("bound", node, "digits");
  return { run: () => outcome, steps: 1 };
}

/** The unary `-`. */
export function minus(node: Of<"minus">, scope: Scope, prepare: Prepare): Part {
  const { run: of, steps } = prepare(node.of, scope);
  const run: Evaluate = (frame) => {
    const value = of(frame);
    if (isNumber(value)) return negate(value);
    return value instanceof Fault ? value : new Fault("kind", node.of, kindOf(value));
  };
  return { run, steps: steps + 1 };
}

/** A list in the expression. */
export function list(node: Of<"list">, scope: Scope, prepare: Prepare): Part {
  const parts = node.items.map((item) => prepare(item, scope));
  const run: Evaluate = (frame) => {
    const values: Value[] = [];
    let fault: Fault | null = null;
    for (const [at, part] of parts.entries()) {
      const value = readWhole(part.run(frame), frame, node.items[at] ?? node);
      if (!(value instanceof Fault)) values.push(value);
      else fault = fault === null ? value : worse(fault, value);
    }
    return fault ?? values;
  };
  return { run, steps: parts.reduce((total, part) => total + part.steps, 1) };
}

/** A map in the expression; a key that comes twice has no meaning, and keys that no double spells could not be told apart. */
export function map(node: Of<"map">, scope: Scope, prepare: Prepare): Part {
  const parts = node.entries.map(({ key, value }) => ({ key: prepare(key, scope), value: prepare(value, scope) }));
  const run: Evaluate = (frame) => {
    const entries = new Map<SlotKey, Value>();
    let fault: Fault | null = null;
    for (const [at, part] of parts.entries()) {
      const written = node.entries[at];
      const key = part.key.run(frame);
      const value = readWhole(part.value.run(frame), frame, written?.value ?? node);
      const failed = key instanceof Fault ? key : value instanceof Fault ? value : null;
      if (failed !== null) fault = fault === null ? failed : worse(fault, failed);
      else if (!(key instanceof Fault) && !(value instanceof Fault)) {
        const name = keyOf(key);
        if (name === null) return new Fault("kind", written?.key ?? node, kindOf(key));
        if (Number.isNaN(name)) return new Fault("value", node, "long key");
        if (entries.has(name)) return new Fault("value", node, "key");
        entries.set(name, value);
      }
    }
    return fault ?? new ValueMap(entries);
  };
  return { run, steps: parts.reduce((total, { key, value }) => total + key.steps + value.steps, 1) };
}

/** `matches`: its pattern is part of the text, as a step of its own. */
export function matches(node: Of<"matches">, scope: Scope, prepare: Prepare): Part {
  const { run: of, steps } = prepare(node.of, scope);
  prepareMatchers(node.pattern);
  const matcher = matcherOf(node.pattern);
  const run: Evaluate = (frame) => {
    const text = of(frame);
    if (typeof text === "string") return matcher(text);
    const value = readWhole(text, frame, node.of);
    return value instanceof Fault ? value : new Fault("kind", node.of, kindOf(value));
  };
  return { run, steps: steps + 2 };
}
