import { type ASTNode, Environment } from "@marcbachmann/cel-js";
import { parsePattern } from "./patterns.js";
import { GETTER_NAMES } from "./time.js";

/** The variables that an expression may read. */
export const VARIABLES = ["args", "principal", "slots", "constants", "labels", "tool", "now", "output"] as const;

/** Macros, and how many operands follow their receiver. */
export const MACROS: ReadonlyMap<string, readonly number[]> = new Map([
  ["all", [2]],
  ["exists", [2]],
  ["exists_one", [2]],
  ["filter", [2]],
  ["map", [2, 3]],
]);

const ANY_NUMBER = [1, 2, 3, 4, 5, 6, 7, 8];

/** Functions, and how many operands they take. */
const FUNCTIONS: ReadonlyMap<string, readonly number[]> = new Map([
  ["size", [1]],
  ["matches", [2]],
  ["string", [1]],
  ["double", [1]],
  ["timestamp", [1]],
  ["duration", [1]],
  ["lists.range", [1]],
  ["math.least", ANY_NUMBER],
  ["math.greatest", ANY_NUMBER],
  ["math.abs", [1]],
  ["math.round", [1, 2]],
]);

/** Methods, and how many operands follow their receiver. */
const METHODS: ReadonlyMap<string, readonly number[]> = new Map([
  ["size", [0]],
  ["startsWith", [1]],
  ["endsWith", [1]],
  ["contains", [1]],
  ["matches", [1]],
  ["lowerAscii", [0]],
  ["trim", [0]],
  ["split", [1]],
  ["distinct", [0]],
  ["sum", [0]],
  ...GETTER_NAMES.map((name): [string, readonly number[]] => [name, [0, 1]]),
]);

/** Bounds of the language are checked by the compiler; the parser's own only have to be wider. */
const parser = new Environment({
  limits: { maxAstNodes: 1_000_000, maxDepth: 10_000, maxListElements: 100_000, maxMapEntries: 100_000 },
});

/** The tree of a text that is in the language, or why it is not. */
export type Parsed =
  | { readonly kind: "tree"; readonly tree: ASTNode }
  | { readonly kind: "outside"; readonly why: string };

/** Parses an expression; `locals` are further names that may be read. */
export function parseExpression(text: string, locals: readonly string[] = []): Parsed {
  try {
    const tree = parser.parse(text).ast;
    const why = outside(tree, new Set<string>([...VARIABLES, ...locals]));
    return why === null ? { kind: "tree", tree } : { kind: "outside", why };
  } catch (cause) {
    return {
      kind: "outside",
      why: `syntax: ${cause instanceof Error ? cause.message.split("\n", 1)[0] : "unreadable"}`,
    };
  }
}

/** The name of a function with a namespace, such as `math.abs`; null for a method. */
export function namespaced(name: string, receiver: ASTNode): string | null {
  return receiver.op === "id" && (receiver.args === "math" || receiver.args === "lists")
    ? `${receiver.args}.${name}`
    : null;
}

type Names = ReadonlySet<string>;

function firstOutside(nodes: readonly ASTNode[], names: Names): string | null {
  return nodes.map((node) => outside(node, names)).find((why) => why !== null) ?? null;
}

function isText(node: ASTNode | undefined): boolean {
  return node?.op === "value" && typeof node.args === "string";
}

function outsideOfPattern(node: ASTNode | undefined): string | null {
  if (node?.op !== "value" || typeof node.args !== "string") return "a pattern that is no literal";
  return parsePattern(node.args) === null ? "a pattern outside of the dialect" : null;
}

function outsideOfCall(name: string, operands: readonly ASTNode[], names: Names): string | null {
  if (name === "has") {
    const [of] = operands;
    if (operands.length !== 1 || of?.op !== ".") return "has of something that is no member";
    return isSlots(of.args[0]) ? null : outside(of.args[0], names);
  }
  const counts = FUNCTIONS.get(name);
  if (counts === undefined) return `function ${name}`;
  if (!counts.includes(operands.length)) return `${name} with ${operands.length} operands`;
  return (name === "matches" ? outsideOfPattern(operands[1]) : null) ?? firstOutside(operands, names);
}

function outsideOfMethod(name: string, of: ASTNode, operands: readonly ASTNode[], names: Names): string | null {
  const macro = MACROS.get(name);
  if (macro?.includes(operands.length)) {
    const [variable, ...parts] = operands;
    if (variable?.op !== "id") return "a macro without a variable";
    return outside(of, names) ?? firstOutside(parts, new Set([...names, variable.args]));
  }
  const counts = METHODS.get(name);
  if (counts === undefined) return `method ${name}`;
  if (!counts.includes(operands.length)) return `${name} with ${operands.length} operands`;
  if (name === "split" && !isText(operands[0])) return "a separator that is no literal";
  return (name === "matches" ? outsideOfPattern(operands[0]) : null) ?? firstOutside([of, ...operands], names);
}

/** Whether a node is the variable that only its members can be read of. */
export function isSlots(node: ASTNode): boolean {
  return node.op === "id" && node.args === "slots";
}

/** Why a tree is not in the language; null where it is. */
function outside(node: ASTNode, names: Names): string | null {
  switch (node.op) {
    case "value":
      return node.args instanceof Uint8Array ? "bytes" : null;
    case "id":
      if (node.args === "slots") return "slots without a name";
      return names.has(node.args) ? null : `variable ${node.args}`;
    case ".":
      return isSlots(node.args[0]) ? null : outside(node.args[0], names);
    case ".?":
    case "[?]":
      return "optional syntax";
    case "!_":
    case "-_":
      return outside(node.args, names);
    case "list":
      return firstOutside(node.args, names);
    case "map":
      return firstOutside(node.args.flat(), names);
    case "call":
      return outsideOfCall(node.args[0], node.args[1], names);
    case "rcall": {
      const [name, of, operands] = node.args;
      const full = namespaced(name, of);
      return full === null ? outsideOfMethod(name, of, operands, names) : outsideOfCall(full, operands, names);
    }
    default:
      return firstOutside(node.args, names);
  }
}
