import type { ASTNode } from "@marcbachmann/cel-js";
import { isSlots, MACROS, parseExpression } from "./language.js";

function isNode(node: unknown): node is ASTNode {
  return typeof node === "object" && node !== null && "op" in node && "start" in node;
}

/** The places where a tree reads one of the names and no macro around it makes a variable of that name. */
export function readsOf(node: unknown, names: ReadonlySet<string>): readonly ASTNode[] {
  if (Array.isArray(node)) return node.flatMap((part: unknown) => readsOf(part, names));
  if (!isNode(node) || node.op === "value") return [];
  if (node.op === "id") return names.has(node.args) ? [node] : [];
  if (node.op !== "rcall") return readsOf(node.args, names);
  const [name, of, operands] = node.args;
  const [variable, ...parts] = operands;
  if (!MACROS.has(name) || variable?.op !== "id") return [...readsOf(of, names), ...readsOf(operands, names)];
  const others = new Set([...names].filter((other) => other !== variable.args));
  return [...readsOf(of, names), ...readsOf(parts, others)];
}

/** The text with another one in the place of each name; a text outside of the language stays as it is. */
export function substitute(text: string, texts: ReadonlyMap<string, string>): string {
  const parsed = parseExpression(text, [...texts.keys()]);
  if (parsed.kind === "outside") return text;
  const places = [...readsOf(parsed.tree, new Set(texts.keys()))].sort((a, b) => b.start - a.start);
  return places.reduce((before, { start, end }) => {
    const own = texts.get(before.slice(start, end)) ?? "";
    return `${before.slice(0, start)}${own}${before.slice(end)}`;
  }, text);
}

/** The slots that a tree reads. */
export function slotsReadBy(node: unknown): readonly string[] {
  if (Array.isArray(node)) return [...new Set(node.flatMap((part: unknown) => slotsReadBy(part)))];
  if (!isNode(node) || node.op === "value" || node.op === "id") return [];
  if (node.op === "." && isSlots(node.args[0])) return [node.args[1]];
  return slotsReadBy(Array.isArray(node.args) ? node.args : [node.args]);
}
