import { type Expression, type FunctionName, MACROS, type Macro } from "../../artifact/expression.js";
import { suggest } from "../../base/suggest.js";
import { quoted } from "../../diagnostics/wording.js";
import { FUNCTION_NAMES, NAMESPACES, OTHER_FUNCTIONS, type Signature, signatureOf } from "./functions.js";
import { literalProblem, readMatches } from "./literal-operands.js";
import { isName, keylessMember } from "./names.js";
import type { CelNode } from "./parse-expression.js";
import type { Range, Reader } from "./reader.js";
import { VARIABLE_NAMES } from "./scope.js";

type Call = CelNode & { readonly op: "call" | "rcall" };

/** A call taken apart: `x.f(y)`, `f(y)` or `math.f(y)`, which has no receiver. */
interface Written {
  readonly node: Call;
  readonly name: string;
  readonly receiver: CelNode | null;
  readonly operands: readonly CelNode[];
  /** The place of the name. */
  readonly at: Range;
}

function isMacro(name: string): name is Macro {
  return MACROS.some((macro) => macro === name);
}

/** The name stands before the bracket, after the receiver. */
function nameAt(reader: Reader, node: Call, name: string): Written["at"] {
  const from = node.op === "rcall" ? node.args[1].end : node.start;
  const start = Math.max(from, reader.source.text.indexOf(name, from));
  return { start, end: start + name.length };
}

function takenApart(reader: Reader, node: Call): Written {
  if (node.op === "call") {
    const [name, operands] = node.args;
    return { node, name, receiver: null, operands, at: nameAt(reader, node, name) };
  }
  const [name, receiver, operands] = node.args;
  const isLong =
    receiver.op === "id" && (NAMESPACES.has(receiver.args) || receiver.args === "cel" || receiver.args === "optional");
  if (!isLong || !isName(reader, receiver, receiver.args))
    return { node, name, receiver, operands, at: nameAt(reader, node, name) };
  const at = { start: receiver.start, end: nameAt(reader, node, name).end };
  return { node, name: `${receiver.args}.${name}`, receiver: null, operands, at };
}

function unknownFunction(reader: Reader, { name, at }: Written): Expression {
  const meant = suggest(name, FUNCTION_NAMES) ?? FUNCTION_NAMES.find((known) => known.endsWith(`.${name}`));
  const isVariable = VARIABLE_NAMES.some((variable) => variable === name);
  const help =
    OTHER_FUNCTIONS.get(name) ??
    (isVariable
      ? `${quoted(name)} is a variable: leave out the brackets`
      : meant === undefined
        ? `the functions are ${FUNCTION_NAMES.join(", ")}`
        : `did you mean ${quoted(meant)}?`);
  return reader.refuse(at, { kind: "unknown_function", message: `there is no function ${quoted(name)}`, help });
}

function wrongForm(reader: Reader, { name, at }: Written, usage: string): Expression {
  return reader.refuse(at, {
    kind: "bad_expression",
    message: `${quoted(name)} is not called like this`,
    help: `write \`${usage}\``,
  });
}

function readMacro(reader: Reader, written: Written, macro: Macro): Expression {
  const { receiver, operands } = written;
  const [variable, first, second] = operands;
  const most = macro === "map" ? 3 : 2;
  const usage = macro === "map" ? "list.map(x, …)" : `list.${macro}(x, …)`;
  if (receiver === null || variable?.op !== "id" || first === undefined || operands.length > most)
    return wrongForm(reader, written, usage);
  const name = variable.args;
  if (VARIABLE_NAMES.some((known) => known === name) || reader.lets.find(name) !== undefined) {
    return reader.refuse(variable, {
      kind: "bad_expression",
      message: `${quoted(name)} already has a meaning`,
      help: "choose another name for the items",
    });
  }
  const over = reader.read(receiver);
  if (macro !== "map") return { kind: "macro", macro, over, name, test: reader.readWithin(name, first), result: null };
  const test = second === undefined ? null : reader.readWithin(name, first);
  return { kind: "macro", macro, over, name, test, result: reader.readWithin(name, second ?? first) };
}

function readHas(reader: Reader, written: Written): Expression {
  const [member] = written.operands;
  if (written.receiver !== null || member === undefined || written.operands.length > 1)
    return wrongForm(reader, written, "has(x.name)");
  if (member.op !== ".") {
    return reader.refuse(member, {
      kind: "bad_expression",
      message: "`has` takes a member, as in `has(args.note)`",
      help: "for a key write `key in x`, for an item `size(x) > index`",
    });
  }
  const [left, name] = member.args;
  reader.count(1);
  if (!isName(reader, left, "slots")) {
    // Whether a constant is there is known now.
    if (isName(reader, left, "constants")) {
      reader.read(member);
      return { kind: "literal", value: (reader.surroundings.constants?.get(name) ?? null) !== null };
    }
    const of = reader.read(left);
    return keylessMember(reader, member, of) ?? { kind: "has", of, name };
  }
  const slot = reader.read(member);
  const shape = slot.kind === "slot" ? reader.surroundings.slots?.get(name) : undefined;
  if (shape === undefined || shape.kind === "plain") return { kind: "has_slot", name };
  return reader.refuse(member, {
    kind: "bad_expression",
    message: `the slot ${quoted(name)} is ${shape.kind === "keyed" ? "a map by keys" : "a list"}, which is always there`,
    help: `write \`… in slots.${name}\`, or \`size(slots.${name}) > 0\``,
  });
}

function countProblem(signature: Signature, count: number): boolean {
  const { operands, optional = 0, repeated = false } = signature;
  return count < operands.length - optional || (!repeated && count > operands.length);
}

function readFunction(
  reader: Reader,
  written: Written,
  name: FunctionName | "matches",
  signature: Signature,
): Expression {
  const { receiver, operands, node } = written;
  const nodes = receiver === null ? operands : [receiver, ...operands];
  const isWrong = signature.form !== "both" && (signature.form === "method") !== (receiver !== null);
  if (isWrong || countProblem(signature, nodes.length)) return wrongForm(reader, written, signature.usage);
  const problem = literalProblem(reader, name, nodes);
  if (problem !== null) return reader.refuse(problem.node, problem);
  if (name === "matches") return readMatches(reader, node, nodes);
  return { kind: "call", fn: name, operands: nodes.map((operand) => reader.read(operand)) };
}

/** A call of a macro, a function or a method. */
export function readCall(reader: Reader, node: Call): Expression {
  const written = takenApart(reader, node);
  if (written.name === "has") return readHas(reader, written);
  if (isMacro(written.name)) return readMacro(reader, written, written.name);
  const known = signatureOf(written.name);
  return known === undefined
    ? unknownFunction(reader, written)
    : readFunction(reader, written, known.name, known.signature);
}
