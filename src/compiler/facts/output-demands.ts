import { assertWhole } from "../../language/draft.js";
import type { ToolContract } from "../../language/schema/tool.js";
import { samplesOf } from "../../operators/index.js";
import { lowerPath } from "../lower/lower-value.js";
import type { NamedTool } from "../named-tool.js";
import type { RuleContext } from "../rule-context.js";
import { demandsOf, operandOf, typeDemands, type WrittenDemand } from "./written-demands.js";

/** Demands by the canonical text of definite paths. */
type DemandsByPath = ReadonlyMap<string, readonly WrittenDemand[]>;

/** What other rules may assume about outputs of a tool. */
export interface OutputDemands {
  /** By its output invariants: the guard withholds every other output. */
  readonly enforced: DemandsByPath;
  /** By its schema in tools.json: the guard does not check it. */
  readonly promised: DemandsByPath;
}

/** At most this many demands on one path are used; using fewer can only miss findings. */
const MOST_DEMANDS = 100;

class Collected {
  readonly found = new Map<string, WrittenDemand[]>();

  add(path: string, demands: readonly WrittenDemand[]): void {
    const known = this.found.get(path) ?? [];
    this.found.set(path, known);
    for (const demand of demands) if (known.length < MOST_DEMANDS) known.push(demand);
  }
}

function enforcedOf({ contract: draft }: NamedTool): DemandsByPath {
  const contract = assertWhole<ToolContract>(draft);
  const collected = new Collected();
  for (const entry of contract.assertions.output_invariants) {
    const path = lowerPath(entry.path);
    if (path.kind === "definite") collected.add(path.text, demandsOf(entry));
  }
  return collected.found;
}

function promisedOf(context: RuleContext, { name }: NamedTool): DemandsByPath {
  const collected = new Collected();
  const schema = context.outputSchemas().get(name);
  const definition = context.definition(name);
  if (schema === undefined || definition === undefined || schema.check.root === false) return collected.found;
  for (const [path, demand] of typeDemands(schema.check.root, definition)) collected.add(path, [demand]);
  for (const { keyword, path, span, invariant } of schema.derived) {
    if (invariant.path.kind !== "definite") continue;
    const { operator } = invariant;
    // Patterns are not compared with each other, so this one adds no information.
    if (samplesOf(operator).patterns.length === 0)
      collected.add(path, [{ ...invariant, key: keyword, value: operandOf(operator), span }]);
  }
  return collected.found;
}

const known = new WeakMap<NamedTool, OutputDemands>();

/** What outputs of the tool satisfy, by its output invariants and by its schema in tools.json. */
export function outputDemands(context: RuleContext, tool: NamedTool): OutputDemands {
  const demands = known.get(tool) ?? { enforced: enforcedOf(tool), promised: promisedOf(context, tool) };
  known.set(tool, demands);
  return demands;
}
