import type { FunctionName } from "../../../artifact/expression.js";
import { Fault, worse } from "../fault.js";
import type { Evaluate, Frame, Part } from "../frame.js";
import type { Prepare, Scope } from "../parts/scope.js";
import { readWhole } from "../parts/slot-part.js";
import { isList, type Value } from "../value.js";
import { abs, distinct, greatest, least, range, round, sum } from "./numbers.js";
import type { Call, CallNode } from "./operand.js";
import { contains, double, endsWith, lowerAscii, size, split, startsWith, string, trim } from "./text.js";
import { duration, getter, timestamp } from "./times.js";

/** Every function; a new one does not compile without an entry. */
const CALLS: Readonly<Record<FunctionName, Call>> = {
  size,
  startsWith,
  endsWith,
  contains,
  string,
  double,
  lowerAscii,
  trim,
  split,
  timestamp,
  duration,
  getFullYear: getter("getFullYear"),
  getMonth: getter("getMonth"),
  getDate: getter("getDate"),
  getDayOfMonth: getter("getDayOfMonth"),
  getDayOfYear: getter("getDayOfYear"),
  getDayOfWeek: getter("getDayOfWeek"),
  getHours: getter("getHours"),
  getMinutes: getter("getMinutes"),
  getSeconds: getter("getSeconds"),
  getMilliseconds: getter("getMilliseconds"),
  "lists.range": range,
  distinct,
  sum,
  "math.least": least,
  "math.greatest": greatest,
  "math.abs": abs,
  "math.round": round,
};

/** Evaluates all operands, so that one that cannot be judged is found beside one that is awaited. */
function operandsOf(parts: readonly Part[], node: CallNode, frame: Frame): readonly Value[] | Fault {
  const values: Value[] = [];
  let fault: Fault | null = null;
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at];
    if (part === undefined) continue;
    const outcome = readWhole(part.run(frame), frame, node.operands[at] ?? node);
    if (!(outcome instanceof Fault)) values.push(outcome);
    else fault = fault === null ? outcome : worse(fault, outcome);
  }
  return fault ?? values;
}

/** Texts that are written in the expression are read once, where nothing else matters. */
const READ_ONCE: ReadonlySet<FunctionName> = new Set(["duration", "timestamp"]);

/** A call of a function or a method. */
export function call(node: CallNode, scope: Scope, prepare: Prepare): Part {
  const { context } = scope;
  const parts = node.operands.map((operand) => prepare(operand, scope));
  const steps = parts.reduce((total, part) => total + part.steps, 1);
  const apply = CALLS[node.fn];
  const [operand] = node.operands;
  if (READ_ONCE.has(node.fn) && operand?.kind === "literal") {
    let known: ReturnType<Call> | undefined;
    const run: Evaluate = (frame) => {
      known ??= apply([operand.value], node, frame, context);
      return known;
    };
    return { run, steps };
  }
  const general: Evaluate = (frame) => {
    const operands = operandsOf(parts, node, frame);
    return operands instanceof Fault ? operands : apply(operands, node, frame, context);
  };
  const only = parts[0]?.run;
  if (node.fn !== "size" || only === undefined) return { run: general, steps };
  const run: Evaluate = (frame) => {
    const value = only(frame);
    if (isList(value)) return value.length;
    const whole = readWhole(value, frame, operand ?? node);
    return whole instanceof Fault ? whole : apply([whole], node, frame, context);
  };
  return { run, steps };
}
