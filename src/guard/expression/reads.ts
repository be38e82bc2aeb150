import type { Expression } from "../../artifact/expression.js";
import { partsIn } from "../../artifact/expression-parts.js";
import type { JsonPath } from "../../base/json-path.js";

/** What an expression may read, whatever the values are. */
export interface Reads {
  readonly slots: ReadonlySet<string>;
  /** The parts of the arguments. */
  readonly args: readonly JsonPath[];
  readonly labels: boolean;
  readonly now: boolean;
  readonly principal: boolean;
}

/** The path of a part that is a place in the arguments; null if it is none. */
function argumentPath(node: Expression): readonly (string | number)[] | null {
  if (node.kind === "variable") return node.name === "args" ? [] : null;
  if (node.kind === "member" || node.kind === "has") {
    const of = argumentPath(node.of);
    return of === null ? null : [...of, node.name];
  }
  if (node.kind !== "index") return null;
  const of = argumentPath(node.of);
  const step = literalStep(node.index);
  return of === null || step === null ? null : [...of, step];
}

function literalStep(node: Expression): string | number | null {
  if (node.kind === "literal" && typeof node.value === "string") return node.value;
  const index = node.kind === "number" ? Number(node.text) : Number.NaN;
  return Number.isSafeInteger(index) && index >= 0 ? index : null;
}

function pathOf(steps: readonly (string | number)[]): JsonPath {
  const text = steps.map((step) => `[${JSON.stringify(step)}]`).join("");
  return { kind: "definite", text: `$${text}`, steps };
}

/** What a tree may read. */
export function readsOf(tree: Expression): Reads {
  const slots = new Set<string>();
  const args: JsonPath[] = [];
  const variables = new Set<string>();
  const collect = (node: Expression): void => {
    if (node.kind === "slot" || node.kind === "has_slot") slots.add(node.name);
    if (node.kind === "variable") variables.add(node.name);
    const path = argumentPath(node);
    if (path !== null) args.push(pathOf(path));
    else for (const part of partsIn(node)) collect(part);
  };
  collect(tree);
  const reads = (name: string) => variables.has(name);
  return { slots, args, labels: reads("labels"), now: reads("now"), principal: reads("principal") };
}
