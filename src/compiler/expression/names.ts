import type { Expression } from "../../artifact/expression.js";
import { suggest } from "../../base/suggest.js";
import { didYouMean, quoted } from "../../diagnostics/wording.js";
import type { CelNode } from "./parse-expression.js";
import type { Range, Reader } from "./reader.js";
import { VARIABLE_NAMES } from "./scope.js";
import { keyPlaces } from "./written-forms.js";

type Id = CelNode & { readonly op: "id" };
type Member = CelNode & { readonly op: "." };
type Index = CelNode & { readonly op: "[]" };

/** Names of types in CEL. */
const TYPES: ReadonlySet<string> = new Set([
  "int",
  "uint",
  "double",
  "bool",
  "string",
  "bytes",
  "list",
  "map",
  "type",
  "null_type",
]);

/** What other languages call null, in lower case. */
const NOTHING: ReadonlySet<string> = new Set(["none", "nil", "null", "undefined"]);

/** Whether a node is this name, and no macro or `let` has taken it. */
export function isName(reader: Reader, node: CelNode, name: string): boolean {
  return (
    node.op === "id" && node.args === name && !reader.locals.includes(name) && reader.lets.find(name) === undefined
  );
}

function unknownName(reader: Reader, node: Id): Expression {
  const name = node.args;
  const { slots, constants } = reader.surroundings;
  if (TYPES.has(name)) {
    return reader.refuse(node, {
      kind: "unsupported_expression",
      message: `${quoted(name)} names a type, and types are no values here`,
      help: "compare values, or test the presence of a member with `has`",
    });
  }
  if (NOTHING.has(name.toLowerCase())) {
    return reader.refuse(node, {
      kind: "unknown_variable",
      message: `there is no variable ${quoted(name)}`,
      help: "write `null`, or test the presence of a member with `has(x.name)`",
    });
  }
  const known = [...VARIABLE_NAMES, ...reader.locals, ...reader.lets.names(), "true", "false", "null"];
  const otherwise = slots?.has(name)
    ? `write ${quoted(`slots.${name}`)}`
    : constants?.has(name)
      ? `write ${quoted(`constants.${name}`)}`
      : suggest(name, slots?.keys() ?? []) !== undefined
        ? `write ${quoted(`slots.${suggest(name, slots?.keys() ?? [])}`)}`
        : `write \`args.${name}\` for an argument, or name it with \`let\``;
  return reader.refuse(node, {
    kind: "unknown_variable",
    message: `there is no variable ${quoted(name)}`,
    help: slots?.has(name) || constants?.has(name) ? otherwise : didYouMean(name, known, otherwise),
  });
}

/** A name: the item of a macro, a `let`, or a variable. */
export function readId(reader: Reader, node: Id): Expression {
  const name = node.args;
  if (reader.locals.includes(name)) return { kind: "local", name };
  const named = reader.lets.find(name);
  if (named !== undefined) return reader.substitute(node, named);
  switch (name) {
    case "args":
    case "principal":
    case "labels":
    case "tool":
    case "now":
      return { kind: "variable", name };
    case "output":
      reader.readOutput(node);
      return { kind: "variable", name };
    case "slots":
    case "constants":
      return reader.refuse(node, {
        kind: "bad_expression",
        message: `${quoted(name)} cannot be read as a whole`,
        help: `name one: \`${name}.name\``,
      });
    default:
      if (reader.lets.isComplete()) return unknownName(reader, node);
      return reader.giveUp();
  }
}

function readSlot(reader: Reader, node: Range, name: string): Expression {
  const { slots } = reader.surroundings;
  if (slots === null || slots.has(name)) return { kind: "slot", name };
  return reader.refuse(node, {
    kind: "unknown_binding",
    name,
    message: `the expression reads the slot ${quoted(name)}, which no contract binds`,
    help: didYouMean(name, slots.keys(), "add it to the `binds` of the tool that produces the value"),
  });
}

function readConstant(reader: Reader, node: Range, name: string): Expression {
  const { constants } = reader.surroundings;
  if (constants === null || constants.has(name)) return { kind: "constant", name };
  return reader.refuse(node, {
    kind: "unknown_constant",
    message: `there is no constant ${quoted(name)}`,
    help: didYouMean(name, constants.keys(), "add it to `constants` in session.yaml"),
  });
}

/** The place of the name in `x.name`. */
function nameIn(node: Member): Range {
  return { start: node.pos, end: node.end };
}

/** How many keys of a keyed slot an expression has given, and how many there are; null for anything else. */
function keysGiven(
  reader: Reader,
  expression: Expression,
): { readonly slot: string; readonly given: number; readonly depth: number } | null {
  let given = 0;
  let part = expression;
  while (part.kind === "index") {
    given += 1;
    part = part.of;
  }
  if (part.kind !== "slot") return null;
  const shape = reader.surroundings.slots?.get(part.name);
  return shape?.kind === "keyed" ? { slot: part.name, given, depth: shape.depth } : null;
}

/** Refuses a member of a keyed slot: it would be the key of that name, which is never meant. */
export function keylessMember(reader: Reader, node: Member, of: Expression): Expression | null {
  const keys = keysGiven(reader, of);
  if (keys === null || keys.given >= keys.depth) return null;
  const { slot, given, depth } = keys;
  return reader.refuse(nameIn(node), {
    kind: "keyed_slot_without_key",
    message: `the slot ${quoted(slot)} has one value for each key, and ${given === 0 ? "no key is" : "not all keys are"} given`,
    help: `write ${quoted(`slots.${slot}${keyPlaces(depth)}.${node.args[1]}`)}, with a key such as \`args.id\``,
  });
}

/** `x.name`: a slot, a constant, or a member of a value. */
export function readMember(reader: Reader, node: Member): Expression {
  const [left, name] = node.args;
  if (isName(reader, left, "slots")) return readSlot(reader.count(1), nameIn(node), name);
  if (isName(reader, left, "constants")) return readConstant(reader.count(1), nameIn(node), name);
  const of = reader.read(left);
  return keylessMember(reader, node, of) ?? { kind: "member", of, name };
}

function isNegative(node: CelNode): boolean {
  return node.op === "-_" && node.args.op === "value";
}

/** `x[i]`: a slot or a constant by its name, an item of a list, a member of a map. */
export function readIndex(reader: Reader, node: Index): Expression {
  const [left, right] = node.args;
  const name = right.op === "value" && typeof right.args === "string" ? right.args : null;
  if (name !== null && isName(reader, left, "slots")) return readSlot(reader.count(2), right, name);
  if (name !== null && isName(reader, left, "constants")) return readConstant(reader.count(2), right, name);
  const of = reader.read(left);
  if (isNegative(right) && keysGiven(reader, of) === null) {
    return reader.refuse(right, {
      kind: "bad_expression",
      message: "an index is never negative",
      help: "write `x[size(x) - 1]` for the last item",
    });
  }
  return { kind: "index", of, index: reader.read(right) };
}
