import type { ASTNode } from "@marcbachmann/cel-js";
import { isSlots } from "../language.js";

const MACROS = ["all", "exists", "exists_one", "filter", "map"];

/** The parts of a node that are expressions of their own, and its text with other texts in their places. */
export interface Printed {
  readonly parts: readonly ASTNode[];
  print(parts: readonly string[]): string;
}

function leaf(node: ASTNode): Printed {
  return { parts: [], print: () => node.input.slice(node.start, node.end) };
}

function isMacro(name: string, operands: readonly ASTNode[]): boolean {
  return MACROS.includes(name) && operands[0]?.op === "id";
}

/** Takes a tree apart; everything with operators is in parentheses. */
export function printed(node: ASTNode): Printed {
  switch (node.op) {
    case "value":
      // The position of a raw string leaves its prefix out, so strings are written anew.
      return typeof node.args === "string" ? { parts: [], print: () => JSON.stringify(node.args) } : leaf(node);
    case "id":
      return { parts: [], print: () => node.args };
    case ".":
    case ".?":
      // A slot is one name: without it `slots` is nothing.
      if (isSlots(node.args[0])) return leaf(node);
      return { parts: [node.args[0]], print: ([of]) => `${of}.${node.args[1]}` };
    case "[]":
    case "[?]":
      return { parts: node.args, print: ([of, index]) => `${of}[${index}]` };
    case "!_":
      return { parts: [node.args], print: ([of]) => `!${of}` };
    case "-_":
      return { parts: [node.args], print: ([of]) => `(-${of})` };
    case "list":
      return { parts: node.args, print: (items) => `[${items.join(", ")}]` };
    case "map":
      return { parts: node.args.flat(), print: (parts) => `{${pairs(parts).join(", ")}}` };
    case "?:":
      return { parts: node.args, print: ([test, yes, no]) => `(${test} ? ${yes} : ${no})` };
    case "call":
      return { parts: node.args[1], print: (operands) => `${node.args[0]}(${operands.join(", ")})` };
    case "rcall": {
      const [name, of, operands] = node.args;
      const variable = isMacro(name, operands) ? operands.slice(0, 1).map((own) => `${own.args}`) : [];
      const parts = [of, ...operands.slice(variable.length)];
      return { parts, print: ([first, ...rest]) => `${first}.${name}(${[...variable, ...rest].join(", ")})` };
    }
    default:
      return { parts: node.args, print: ([left, right]) => `(${left} ${node.op} ${right})` };
  }
}

function pairs(parts: readonly string[]): readonly string[] {
  return parts.flatMap((key, at) => (at % 2 === 0 ? [`${key}: ${parts[at + 1]}`] : []));
}

export function textOf(node: ASTNode): string {
  const { parts, print } = printed(node);
  return print(parts.map(textOf));
}
