import type { Expression } from "../../../artifact/expression.js";
import { unreachable } from "../../../base/invariant.js";
import type { Json } from "../../../base/json.js";
import { UNKNOWN } from "../../session/call.js";
import { Fault, worse } from "../fault.js";
import type { Evaluate, Frame, Part } from "../frame.js";
import type { SlotKey } from "../slot-reader.js";
import { isList, isPlainObject, kindOf, type Outcome, SlotPart, Timestamp, type Value, ValueMap } from "../value.js";
import type { Prepare, Scope } from "./scope.js";
import { below, hasValue, keyOf, readWhole, slotValue, spendOnKey, unreadable } from "./slot-part.js";

type Of<K extends Expression["kind"]> = Extract<Expression, { readonly kind: K }>;

/** A variable of every expression. */
export function variable({ name }: Of<"variable">): Part {
  return { run: variableRun(name), steps: 1 };
}

function variableRun(name: Of<"variable">["name"]): Evaluate {
  switch (name) {
    case "args":
      return ({ args }) => args;
    case "principal":
      return ({ principal }) => principal;
    case "labels":
      return ({ labels }) => labels;
    case "tool":
      return ({ tool }) => tool;
    case "now":
      return ({ now }) => new Timestamp(now);
    case "output":
      return ({ output }) => output;
    default:
      return unreachable(name);
  }
}

/** In the text it is a member of `slots`, which is two parts. */
const MEMBER_STEPS = 2;

/** A slot. */
export function slot(node: Of<"slot">, { context }: Scope): Part {
  const { name } = node;
  const shape = context.slots.get(name);
  if (shape !== undefined && shape.kind !== "plain") {
    const part = new SlotPart(name, shape.kind === "union" ? 0 : shape.depth, []);
    return { run: () => part, steps: MEMBER_STEPS };
  }
  const place = { slot: name, keys: [] };
  return { run: ({ slots }) => slotValue(slots.read(name), node, place), steps: MEMBER_STEPS };
}

/** Whether a plain slot is bound. */
export function hasSlot(node: Of<"has_slot">): Part {
  const { name } = node;
  const place = { slot: name, keys: [] };
  const run: Evaluate = ({ slots }) => {
    const value = slots.read(name);
    if (value === undefined) return false;
    return value === UNKNOWN || typeof value === "symbol" ? unreadable(value, node, place) : true;
  };
  return { run, steps: MEMBER_STEPS + 1 };
}

/** A constant of the session. */
export function constant(node: Of<"constant">, { context }: Scope): Part {
  const { constants } = context;
  const value: Json | undefined = Object.hasOwn(constants, node.name) ? constants[node.name] : undefined;
  const outcome: Outcome = value === undefined ? new Fault("missing", node) : value;
  return { run: () => outcome, steps: MEMBER_STEPS };
}

/** The variable of a macro. */
export function local(node: Of<"local">, { locals }: Scope): Part {
  const at = locals.lastIndexOf(node.name);
  const run: Evaluate = (frame) => {
    const value = frame.locals?.[at];
    return value === undefined ? new Fault("missing", node) : value;
  };
  return { run, steps: 1 };
}

/** A member of a value, by its name. */
export function member(node: Of<"member">, scope: Scope, prepare: Prepare): Part {
  const { name } = node;
  if (node.of.kind === "variable" && node.of.name === "args") {
    // The commonest part: no test of what the arguments are.
    const run: Evaluate = ({ args }) => (Object.hasOwn(args, name) ? (args[name] ?? null) : new Fault("missing", node));
    return { run, steps: MEMBER_STEPS };
  }
  const { run: of, steps } = prepare(node.of, scope);
  const run: Evaluate = (frame) => {
    const value = of(frame);
    if (isPlainObject(value)) return Object.hasOwn(value, name) ? (value[name] ?? null) : new Fault("missing", node);
    return memberOfOther(value, name, frame, node);
  };
  return { run, steps: steps + 1 };
}

function memberOfOther(value: Outcome, name: string, frame: Frame, node: Of<"member">): Outcome {
  if (value instanceof Fault) return value;
  if (value instanceof ValueMap) return entryOf(value, name, new Fault("missing", node));
  if (value instanceof SlotPart && value.depth > 0) return below(value, name, frame, node);
  return new Fault("kind", node.of, kindOf(value));
}

/** The value under a key, which may be null. */
function entryOf({ entries }: ValueMap, key: SlotKey, missing: Fault): Outcome {
  const value = entries.get(key);
  return value === undefined ? missing : value;
}

/** An item of a list, or a member of a map. */
export function index(node: Of<"index">, scope: Scope, prepare: Prepare): Part {
  const { run: of, steps } = prepare(node.of, scope);
  const { run: at, steps: indexSteps } = prepare(node.index, scope);
  const run: Evaluate = (frame) => {
    const value = of(frame);
    const key = at(frame);
    if (typeof key === "string" && isPlainObject(value)) {
      spendOnKey(key);
      return Object.hasOwn(value, key) ? (value[key] ?? null) : new Fault("missing", node, "", [key]);
    }
    if (value instanceof Fault) return key instanceof Fault ? worse(value, key) : value;
    return key instanceof Fault ? key : indexOther(value, key, frame, node);
  };
  return { run, steps: steps + indexSteps + 1 };
}

function indexOther(value: Value, index: Value, frame: Frame, node: Of<"index">): Outcome {
  const key = keyOf(index);
  if (key === null) return new Fault("kind", node.index, kindOf(index));
  if (value instanceof SlotPart && value.depth > 0) return below(value, key, frame, node);
  const whole = readWhole(value, frame, node.of);
  if (whole instanceof Fault) return whole;
  const missing = new Fault("missing", node, "", [key]);
  if (isPlainObject(whole)) return missing;
  if (whole instanceof ValueMap) return entryOf(whole, key, missing);
  if (!isList(whole)) return new Fault("kind", node.of, kindOf(whole));
  if (typeof key !== "number") return new Fault("kind", node.index, kindOf(index));
  const item = Number.isInteger(key) && key >= 0 ? whole[key] : undefined;
  return item === undefined ? missing : item;
}

/** Whether a value has a member that is not null. */
export function has(node: Of<"has">, scope: Scope, prepare: Prepare): Part {
  const { name } = node;
  const { run: of, steps } = prepare(node.of, scope);
  const run: Evaluate = (frame) => {
    const value = of(frame);
    if (isPlainObject(value)) return Object.hasOwn(value, name) && value[name] !== null;
    if (value instanceof Fault) return value;
    if (value instanceof ValueMap) return (value.entries.get(name) ?? null) !== null;
    if (value instanceof SlotPart && value.depth > 0) return hasValue(value, name, frame, node);
    return new Fault("kind", node.of, kindOf(value));
  };
  // The call of `has` and the member that it asks for.
  return { run, steps: steps + MEMBER_STEPS };
}
