import type { Interval } from "../../domain/every-member.js";
import { assertWhole } from "../../language/draft.js";
import type { ToolContract } from "../../language/schema/tool.js";
import { derivation } from "../exclusions.js";
import { lowerPath } from "../lower/lower-value.js";
import type { NamedTool } from "../named-tool.js";
import type { RuleContext } from "../rule-context.js";
import { numbersIn } from "./possible-values.js";
import { demandsOf, type Entry, operandOf, typeDemands, type WrittenDemand } from "./written-demands.js";

/** What every accepted call of a tool satisfies, by the canonical text of definite paths. */
export type ArgumentDemands = ReadonlyMap<string, readonly WrittenDemand[]>;

function collect(context: RuleContext, { name, contract: draft }: NamedTool): ArgumentDemands {
  const contract = assertWhole<ToolContract>(draft);
  const found = new Map<string, WrittenDemand[]>();
  const add = (path: string, demands: readonly WrittenDemand[]) => {
    const known = found.get(path) ?? [];
    found.set(path, known);
    for (const demand of demands) known.push(demand);
  };
  const schema = context.inputSchemas().get(name);
  const definition = context.definition(name);
  if (schema !== undefined && definition !== undefined) {
    for (const [path, demand] of typeDemands(schema.check.root, definition)) if (path !== "$") add(path, [demand]);
    const derives = derivation(context, name);
    for (const { keyword, path, span, invariant } of schema.derived) {
      if (invariant.path.kind !== "definite" || !derives(path)) continue;
      add(path, [{ ...invariant, key: keyword, value: operandOf(invariant.operator), span }]);
    }
  }
  const written: readonly Entry[] = [
    ...contract.assertions.input_invariants,
    ...(contract.execution_constraints?.arguments ?? []),
    ...(contract.argument_value_invariants ?? []),
  ];
  for (const entry of written) {
    const path = lowerPath(entry.path);
    // An indefinite path may match nothing, or values that differ, so it is skipped.
    if (path.kind === "definite") add(path.text, demandsOf(entry));
  }
  return found;
}

const known = new WeakMap<NamedTool, ArgumentDemands>();

/** What every accepted call of the tool satisfies: schema first, then the contract in the order of its checks. */
export function argumentDemands(context: RuleContext, tool: NamedTool): ArgumentDemands {
  const demands = known.get(tool) ?? collect(context, tool);
  known.set(tool, demands);
  return demands;
}

const knownNumbers = new WeakMap<readonly WrittenDemand[], { readonly interval: Interval | null }>();

/** An interval that contains the number at a definite path of every accepted call; null where no number is accepted. */
export function acceptedNumbers(context: RuleContext, tool: NamedTool, path: string): Interval | null {
  const demands = argumentDemands(context, tool).get(path);
  if (demands === undefined) return { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  const found = knownNumbers.get(demands) ?? { interval: numbersIn(demands) };
  knownNumbers.set(demands, found);
  return found.interval;
}
