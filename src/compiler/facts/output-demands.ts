import type { ToolContract } from "../../language/schema/tool.js";
import { samplesOf } from "../../operators/index.js";
import { lowerPath } from "../lower/lower-value.js";
import type { NamedTool, RuleContext } from "../rule-context.js";
import { demandsOf, operandOf, typeDemands, type WrittenDemand } from "./written-demands.js";

/** What every output of a tool meets that others may rely on, by the canonical text of definite paths. */
export type OutputDemands = ReadonlyMap<string, readonly WrittenDemand[]>;

/** So many demands on one path count; knowing less only means to say less. */
const MOST_DEMANDS = 100;

function collect(context: RuleContext, { name, contract: draft }: NamedTool): OutputDemands {
  const contract = draft as ToolContract; // the analysis runs without errors, so nothing was pruned
  const found = new Map<string, WrittenDemand[]>();
  const add = (path: string, demands: readonly WrittenDemand[]) => {
    const known = found.get(path) ?? [];
    found.set(path, known);
    for (const demand of demands) if (known.length < MOST_DEMANDS) known.push(demand);
  };
  for (const entry of contract.assertions.output_invariants) {
    const path = lowerPath(entry.path);
    if (path.kind === "definite") add(path.text, demandsOf(entry));
  }
  const schema = context.outputSchemas().get(name);
  const definition = context.definition(name);
  if (schema === undefined || definition === undefined || schema.check.root === false) return found;
  for (const [path, demand] of typeDemands(schema.check.root, definition)) add(path, [demand]);
  for (const { keyword, path, span, invariant } of schema.derived) {
    if (invariant.path.kind !== "definite") continue;
    const { operator } = invariant;
    // A pattern is not compared with other patterns, so it would tell nothing.
    if (samplesOf(operator).patterns.length === 0)
      add(path, [{ ...invariant, key: keyword, value: operandOf(operator), span }]);
  }
  return found;
}

const known = new WeakMap<NamedTool, OutputDemands>();

/** What every output of the tool meets, by its output invariants and by its schema in tools.json. */
export function outputDemands(context: RuleContext, tool: NamedTool): OutputDemands {
  const demands = known.get(tool) ?? collect(context, tool);
  known.set(tool, demands);
  return demands;
}
