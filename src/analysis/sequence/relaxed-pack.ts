import type { CompiledCheck, CompiledEnvelope, CompiledPack, CompiledTool } from "../../artifact/compiled.js";
import type { Expression } from "../../artifact/expression.js";
import { allParts } from "../../artifact/expression-parts.js";
import { referencesOf } from "../../guard/checks/envelope.js";
import { neededSlots } from "../proof/control/needed-slots.js";

/** Wide enough for any number near another one. */
const FAR = 1e9;
const NUMERIC: ReadonlySet<string> = new Set(["<", "<=", ">", ">=", "+", "-", "*", "/", "%"]);

function isNumeric(tree: Expression): boolean {
  return allParts(tree).some((part) => part.kind === "number" || (part.kind === "binary" && NUMERIC.has(part.op)));
}

/** An envelope that only asks for one of its references. */
function asking(envelope: CompiledEnvelope, reference: string): CompiledEnvelope {
  const role = reference === "last" ? "initial" : reference;
  const stages = envelope.stages.flatMap((stage) => {
    if (stage.role === "constrained") return [stage];
    return stage.role === role ? [{ ...stage, role: "anchor" as const }] : [];
  });
  return { ...envelope, constraint: "within_band", band: FAR, stages };
}

function conjuncts(tree: Expression): readonly Expression[] {
  return tree.kind === "and" ? [...conjuncts(tree.left), ...conjuncts(tree.right)] : [tree];
}

function without(
  check: CompiledCheck,
  indices: readonly (readonly number[])[],
  pack: CompiledPack,
  tool: CompiledTool,
): readonly CompiledCheck[] {
  if (check.kind === "ref") return [{ ...check, tolerance: FAR }];
  if (check.kind === "envelope") return (indices[check.index] ?? []).map((index) => ({ ...check, index }));
  if (check.kind === "aggregate") {
    const metric = pack.aggregates[check.index]?.metric;
    return metric === "count" || metric === "count_distinct" ? [check] : [];
  }
  if (check.kind !== "requires" || !isNumeric(check.that.tree)) return [check];
  const isPlain = (name: string) => pack.slots?.some((slot) => slot.name === name && slot.kind !== "plain") !== true;
  const own = neededSlots({ ...tool, checks: [check] }, pack).filter(isPlain);
  const parts = [
    ...conjuncts(check.that.tree).filter((part) => !isNumeric(part)),
    ...own.map((name): Expression => ({ kind: "has_slot", name })),
  ];
  return parts.map((tree) => ({ ...check, that: { ...check.that, tree } }));
}

/** A pack in which numbers refuse next to nothing: what is left is the order of calls, and what they say. */
export function relaxedPack(pack: CompiledPack): CompiledPack {
  const envelopes: CompiledEnvelope[] = [];
  const indices = pack.envelopes.map((envelope) =>
    referencesOf(envelope.constraint).map((reference) => envelopes.push(asking(envelope, reference)) - 1),
  );
  const tools = pack.tools.map((tool) => ({
    ...tool,
    checks: tool.checks.flatMap((check) => without(check, indices, pack, tool)),
  }));
  return { ...pack, tools, envelopes };
}

/** Whether numbers of several calls are compared, or also summed up, in the rules of some tools. */
export function hangsOnNumbers(
  { tools, aggregates }: CompiledPack,
  names: ReadonlySet<string>,
  isSummed: boolean,
): boolean {
  return tools.some(
    ({ name, checks }) =>
      names.has(name) &&
      checks.some((check) => {
        if (check.kind === "aggregate") return isSummed && aggregates[check.index]?.path !== null;
        if (check.kind === "requires") return isNumeric(check.that.tree);
        return check.kind === "envelope" || (check.kind === "ref" && check.tolerance !== null);
      }),
  );
}
