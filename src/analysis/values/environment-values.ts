import { type CompiledPack, type CompiledTool, pathConditions } from "../../artifact/compiled.js";
import type { CompiledOperator } from "../../artifact/compiled-value.js";
import { first } from "../model/caps.js";
import { entryOf } from "./argument-rules.js";
import { judgeBy, satisfyingValues, variableOf } from "./operator-values.js";
import type { Entry } from "./path-values.js";

/** Operators that one value must satisfy together. */
type Together = readonly CompiledOperator[];

/** Each entry with the operators of the other entries on its path. */
function joined(entries: readonly Entry[]): readonly Together[] {
  const byText = new Map<string, CompiledOperator[]>();
  for (const { path, operators } of entries) {
    byText.set(path.text, [...(byText.get(path.text) ?? []), ...operators]);
  }
  return [...byText.values()];
}

/** Each condition with the operators that always hold on its path. */
function conditioned(conditions: readonly Entry[], always: readonly Entry[]): readonly Together[] {
  return conditions.map(({ path, operators }) => [
    ...always.filter((entry) => entry.path.text === path.text).flatMap((entry) => entry.operators),
    ...operators,
  ]);
}

function toolContexts({ checks, output_invariants: outputs }: CompiledTool): readonly Together[] {
  const entries = checks.flatMap((check) => entryOf(check) ?? []);
  const asked = checks.flatMap((check) => (check.kind === "checkpoint" ? pathConditions(check) : []));
  return [...joined(entries), ...conditioned(asked, entries), ...joined(outputs)];
}

function watchContexts({ tools }: CompiledPack): readonly Together[] {
  const outputs = new Map(tools.map((tool) => [tool.name, tool.output_invariants]));
  return tools
    .flatMap((tool) => tool.checks)
    .flatMap((check) => {
      if (check.kind !== "precondition" || check.prior === null) return [];
      return conditioned(check.prior.with_output, outputs.get(check.prior.tool) ?? []);
    });
}

function policyContexts({ tools, unmatched_checks: unmatched }: CompiledPack): readonly Together[] {
  const checks = [...tools.flatMap((tool) => tool.checks), ...unmatched];
  return checks.flatMap((check) =>
    check.kind === "policy" ? [...check.denies, ...check.allows].flatMap(({ principal }) => joined(principal)) : [],
  );
}

function contextsOf(pack: CompiledPack): readonly Together[] {
  const contexts = [
    ...pack.tools.flatMap(toolContexts),
    ...watchContexts(pack),
    ...policyContexts(pack),
    ...pack.aggregates.flatMap(({ when }) => when.map(({ operators }) => operators)),
  ];
  return contexts.filter((operators) => operators.some((operator) => variableOf(operator) !== null));
}

function reads(operators: Together, name: string): boolean {
  return operators.some((operator) => variableOf(operator) === name);
}

/** The value that fits most contexts; among equals, the plainest. */
function bestValue(name: string, contexts: readonly Together[], known: ReadonlyMap<string, string>): string {
  const settled = contexts.map((operators) =>
    operators.filter((operator) => {
      const read = variableOf(operator);
      return read === null || known.has(read);
    }),
  );
  const fits = (value: string) => settled.filter((operators) => judgeBy(operators, value, known) === true).length;
  const texts = settled.flatMap((operators) => satisfyingValues(operators, known));
  const values = [name.toLowerCase(), ...texts.filter((text) => typeof text === "string")];
  const rated = [...new Set(values)].map((value) => ({ value, fit: fits(value) }));
  return rated.reduce((best, one) => (one.fit > best.fit ? one : best)).value;
}

/** A value for every environment variable that rules of the pack read, compatible with other rules on the same path. */
export function environmentValues(pack: CompiledPack): Readonly<Record<string, string>> {
  const contexts = contextsOf(pack);
  const names = new Set(contexts.flat().flatMap((operator) => variableOf(operator) ?? []));
  const known = new Map<string, string>();
  for (const name of names) {
    const own = first(
      contexts.filter((context) => reads(context, name)),
      "environment_rules",
    );
    known.set(name, bestValue(name, own, known));
  }
  return Object.fromEntries(known);
}
