import type { CheckOf, CompiledTool } from "../../artifact/compiled.js";
import type { SchemaTest } from "../../artifact/compiled-schema.js";
import type { Json } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";
import { judgeEntries } from "../../guard/values/judge-value.js";
import { domainOf } from "../../operators/index.js";
import type { RoleRules } from "../../workflow/rules/workflow-rules.js";
import { resourceName } from "../../workflow/state/shared-resource.js";
import { checksOf } from "../model/checks-of.js";

/** What follows from the rules of a tool about the resource that its calls name, for every allowed call. */

type Entry = CheckOf<"input_invariant" | "execution_constraint" | "argument_invariant">;

function entriesAt({ checks }: CompiledTool, path: JsonPath): readonly Entry[] {
  const all = [
    ...checksOf(checks, "input_invariant"),
    ...checksOf(checks, "execution_constraint"),
    ...checksOf(checks, "argument_invariant"),
  ];
  return all.filter((entry) => entry.path.text === path.text);
}

/** The tests that every value passes: those under alternatives are left out. */
function rootTests({ checks }: CompiledTool): readonly SchemaTest[] {
  return checksOf(checks, "schema").flatMap(({ schema: { root } }) => (typeof root === "boolean" ? [] : root));
}

/** The name of a property of the arguments; null for a path that leads deeper. */
function propertyOf(path: JsonPath): string | null {
  const [name, ...below] = path.kind === "definite" ? path.steps : [];
  return typeof name === "string" && below.length === 0 ? name : null;
}

/** Whether every allowed call has a value at a path. */
export function isAlwaysThere(tool: CompiledTool, path: JsonPath): boolean {
  const name = propertyOf(path);
  const isRequired = rootTests(tool).some(
    (test) => test.kind === "required" && name !== null && test.names.includes(name),
  );
  // The guard says itself whether an entry lets a missing value pass.
  return isRequired || entriesAt(tool, path).some((entry) => judgeEntries([entry], {}, new Map()) !== true);
}

/** Lists of values, of each of which every allowed call has one at a path, if it has any. */
function listsAt(tool: CompiledTool, path: JsonPath): readonly (readonly Json[])[] {
  // What a schema says of some types only lets others pass.
  const derived = checksOf(tool.checks, "derived_invariant").filter(
    (check) => check.path.text === path.text && check.passes.length === 0,
  );
  const operators = [
    ...entriesAt(tool, path).flatMap((entry) => entry.operators),
    ...derived.map(({ operator }) => operator),
  ];
  return operators.flatMap((operator) => {
    const { values } = domainOf(operator).accepts;
    return values === undefined || values === null ? [] : [values];
  });
}

/** Whether every allowed call of a tool would make its session the owner of one of some resources. */
export function alwaysOwns({ resources }: RoleRules, tool: CompiledTool, owned: ReadonlySet<string>): boolean {
  if (tool.side_effect === "read") return false;
  const isOwned = (alias: string, key: Json) =>
    key === null || typeof key === "object" || owned.has(resourceName({ alias, key }));
  return resources.some(
    ({ alias, mode, path }) =>
      mode === "single_writer" &&
      isAlwaysThere(tool, path) &&
      listsAt(tool, path).some((values) => values.every((key) => isOwned(alias, key))),
  );
}
