import type { SchemaNode } from "../artifact/compiled-schema.js";
import type { CompiledOperator } from "../artifact/compiled-value.js";
import type { Json } from "../base/json.js";
import { jsonPath } from "../base/json-path.js";
import type { Span } from "../diagnostics/source.js";
import { placesIn } from "../language/located.js";
import type { ToolContract } from "../language/schema/tool.js";
import type { ToolDefinition } from "../language/tool-definitions.js";
import { derivation } from "./exclusions.js";
import { lowerOperators, lowerPath } from "./lower/lower-value.js";
import { type Demand, type Interval, numbersIn } from "./possible-values.js";
import type { NamedTool, RuleContext } from "./rule-context.js";

/** A demand with the words that make it. */
export interface WrittenDemand extends Demand {
  /** The operator or keyword as its writer spelled it. */
  readonly key: string;
  readonly value: Json;
  readonly span: Span;
}

/** What every call of a tool that is let through meets, by the canonical text of definite paths. */
export type ArgumentDemands = ReadonlyMap<string, readonly WrittenDemand[]>;

/** Entries of the contract language that test a value. */
type Entry = Parameters<typeof lowerOperators>[0] & { readonly path: string };

function keyOf(entry: Entry, { op }: CompiledOperator): string {
  return op === "equals" && entry.exact_match !== undefined ? "exact_match" : op;
}

function operandOf(operator: CompiledOperator): Json {
  if (operator.op === "one_of") return operator.values;
  if (operator.op === "regex") return operator.pattern.source;
  return operator.op === "equals_env" ? operator.name : operator.value;
}

/** The operators of an entry, each with its place. */
export function demandsOf(entry: Entry): readonly WrittenDemand[] {
  const { self, values } = placesIn(entry);
  return lowerOperators(entry).map((operator) => {
    const key = keyOf(entry, operator);
    const span = values.get(key) ?? self;
    return { operator, passes: [], optional: false, key, value: operandOf(operator), span };
  });
}

/** The types that the check of a schema asks for at places under names; alternatives and lists are left out. */
function* typeDemands(root: SchemaNode, { nameSpan }: ToolDefinition): Generator<readonly [string, WrittenDemand]> {
  const places = [{ names: [] as readonly string[], node: root }];
  for (const { names, node } of places) {
    if (typeof node === "boolean") continue;
    for (const test of node) {
      if (test.kind === "properties" && names.length < 100) {
        for (const { name, node: child } of test.entries) places.push({ names: [...names, name], node: child });
      }
      const [first, ...others] = test.kind === "type" ? test.types : [];
      if (first === undefined || names.length === 0) continue;
      const path = jsonPath(names.map((name) => ({ descend: false, selectors: [{ kind: "name", name }] }))).text;
      const operator = { op: "type", value: first } as const;
      const value = others.length === 0 ? first : [first, ...others];
      yield [path, { operator, passes: others, optional: true, key: "type", value, span: nameSpan }];
    }
  }
}

function collect(context: RuleContext, { name, contract: draft }: NamedTool): ArgumentDemands {
  const contract = draft as ToolContract; // the analysis runs without errors, so nothing was pruned
  const found = new Map<string, WrittenDemand[]>();
  const add = (path: string, demands: readonly WrittenDemand[]) => {
    const known = found.get(path) ?? [];
    found.set(path, known);
    for (const demand of demands) known.push(demand);
  };
  const schema = context.inputSchemas().get(name);
  const definition = context.definition(name);
  if (schema !== undefined && definition !== undefined) {
    for (const [path, demand] of typeDemands(schema.check.root, definition)) add(path, [demand]);
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
    // Of many matches none may be there, or each may differ: only a definite path says something for certain.
    if (path.kind === "definite") add(path.text, demandsOf(entry));
  }
  return found;
}

const known = new WeakMap<NamedTool, ArgumentDemands>();

/** What every call of the tool that is let through meets: schema first, then the contract in the order of its checks. */
export function argumentDemands(context: RuleContext, tool: NamedTool): ArgumentDemands {
  const demands = known.get(tool) ?? collect(context, tool);
  known.set(tool, demands);
  return demands;
}

const knownNumbers = new WeakMap<readonly WrittenDemand[], { readonly interval: Interval | null }>();

/** An interval that surely holds the number at a definite path of every call that is let through; null for none. */
export function acceptedNumbers(context: RuleContext, tool: NamedTool, path: string): Interval | null {
  const demands = argumentDemands(context, tool).get(path);
  if (demands === undefined) return { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  const found = knownNumbers.get(demands) ?? { interval: numbersIn(demands) };
  knownNumbers.set(demands, found);
  return found.interval;
}

/** A demand as its writer spelled it. */
export function spelling({ key, value }: Pick<WrittenDemand, "key" | "value">): string {
  return `${key}: ${JSON.stringify(value)}`;
}
