import type { Expression } from "../../artifact/expression.js";
import { unreachable } from "../../base/invariant.js";
import { show } from "../../base/wording.js";

/** Functions that are written with their operand in front. */
const OF_NAMESPACES = /^(?:math|lists)\.|^(?:size|string|double|timestamp|duration)$/;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A part of an expression as people write it; built only where a call is refused. */
export function partText(node: Expression): string {
  switch (node.kind) {
    case "literal":
      return show(node.value);
    case "number":
      return node.text;
    case "variable":
    case "local":
      return node.name;
    case "slot":
      return memberText("slots", node.name);
    case "constant":
      return memberText("constants", node.name);
    case "member":
      return memberText(operandText(node.of), node.name);
    case "index":
      return `${operandText(node.of)}[${partText(node.index)}]`;
    case "has":
      return `has(${memberText(operandText(node.of), node.name)})`;
    case "has_slot":
      return `has(${memberText("slots", node.name)})`;
    case "not":
      return `!${operandText(node.of)}`;
    case "minus":
      return `-${operandText(node.of)}`;
    case "and":
      return `${operandText(node.left)} && ${operandText(node.right)}`;
    case "or":
      return `${operandText(node.left)} || ${operandText(node.right)}`;
    case "binary":
      return `${operandText(node.left)} ${node.op} ${operandText(node.right)}`;
    case "choice":
      return `${operandText(node.test)} ? ${operandText(node.yes)} : ${operandText(node.no)}`;
    case "list":
      return `[${node.items.map(partText).join(", ")}]`;
    case "map":
      return `{${node.entries.map(({ key, value }) => `${partText(key)}: ${partText(value)}`).join(", ")}}`;
    case "macro":
      return macroText(node);
    case "call":
      return callText(node);
    case "matches":
      return `${operandText(node.of)}.matches(${show(node.pattern.source)})`;
    default:
      return unreachable(node);
  }
}

function memberText(of: string, name: string): string {
  return NAME.test(name) ? `${of}.${name}` : `${of}[${show(name)}]`;
}

function macroText({ over, macro, name, test, result }: Extract<Expression, { readonly kind: "macro" }>): string {
  const parts = [test, result].flatMap((part) => (part === null ? [] : [partText(part)]));
  return `${operandText(over)}.${macro}(${[name, ...parts].join(", ")})`;
}

function callText({ fn, operands }: Extract<Expression, { readonly kind: "call" }>): string {
  if (OF_NAMESPACES.test(fn)) return `${fn}(${operands.map(partText).join(", ")})`;
  const [receiver, ...rest] = operands;
  return `${receiver === undefined ? "" : operandText(receiver)}.${fn}(${rest.map(partText).join(", ")})`;
}

/** Parts that bind less tightly than a member. */
const LOOSE: ReadonlySet<Expression["kind"]> = new Set(["and", "or", "binary", "choice", "not", "minus"]);

/** A part of a part, in parentheses where it needs them. */
function operandText(node: Expression): string {
  return LOOSE.has(node.kind) ? `(${partText(node)})` : partText(node);
}
