import type { SchemaNode } from "../../artifact/compiled-schema.js";
import type { CompiledOperator } from "../../artifact/compiled-value.js";
import type { Json } from "../../base/json.js";
import { jsonPath } from "../../base/json-path.js";
import type { Span } from "../../diagnostics/source.js";
import type { Tested } from "../../domain/of-operator.js";
import { placesIn } from "../../language/located.js";
import type { ToolDefinition } from "../../language/tool-definitions.js";
import { partsOf } from "../../operators/index.js";
import { type Operators, writtenOperators } from "../lower/lower-value.js";

/** A demand with its text in the pack. */
export interface WrittenDemand extends Tested {
  /** The operator or keyword as written. */
  readonly key: string;
  readonly value: Json;
  readonly span: Span;
}

/** Entries of the contract language that test a value. */
export type Entry = Operators & { readonly path: string };

/** What an operator compares with. */
export function operandOf(operator: CompiledOperator): Json {
  return partsOf(operator).operand(operator);
}

/** The operators of an entry, each with its place. */
export function demandsOf(entry: Entry): readonly WrittenDemand[] {
  const { self, values } = placesIn(entry);
  return writtenOperators(entry).map(({ word: key, operator }) => {
    const span = values.get(key) ?? self;
    return { operator, passes: [], optional: false, key, value: operandOf(operator), span };
  });
}

/** Places of a schema deeper than this are skipped. */
const DEEPEST = 100;

/** The types that a schema asks for at its root and at places under names; alternatives, refs and lists are left out. */
export function* typeDemands(
  root: SchemaNode,
  { nameSpan }: ToolDefinition,
): Generator<readonly [string, WrittenDemand]> {
  const places: { readonly names: readonly string[]; readonly node: SchemaNode }[] = [{ names: [], node: root }];
  for (const { names, node } of places) {
    if (typeof node === "boolean") continue;
    const path = jsonPath(names.map((name) => ({ descend: false, selectors: [{ kind: "name", name }] }))).text;
    for (const test of node) {
      if (test.kind === "properties" && names.length < DEEPEST) {
        for (const { name, node: child } of test.entries) places.push({ names: [...names, name], node: child });
      }
      const [first, ...others] = test.kind === "type" ? test.types : [];
      if (first === undefined) continue;
      const operator = { op: "type", value: first } as const;
      const value = others.length === 0 ? first : [first, ...others];
      yield [path, { operator, passes: others, optional: true, key: "type", value, span: nameSpan }];
    }
  }
}

/** A demand as written. */
export function spelling({ key, value }: Pick<WrittenDemand, "key" | "value">): string {
  return `${key}: ${JSON.stringify(value)}`;
}
