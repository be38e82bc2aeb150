import { canonicalJson } from "../../base/canonical-json.js";
import { sumNumber } from "../../base/exact-sum.js";
import type { Json, JsonObject } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";
import type { Program, Tool } from "../../guard/program/program.js";
import type { ToolEffects } from "../../guard/program/tool-effects.js";
import { contributionOf } from "../../guard/session/aggregate.js";
import { perValue } from "../../guard/session/aggregate-parts.js";
import { entityOf } from "../../guard/session/entity.js";
import { judgeEntries } from "../../guard/values/judge-value.js";
import { readAll } from "../../guard/values/read-path.js";
import { checksOf } from "./checks-of.js";

const pathsOfTools = new WeakMap<Tool, readonly JsonPath[]>();

/** The paths in a tool's arguments that sessions, or rules about remembered values, read. */
function pathsOf(tool: Tool): readonly JsonPath[] {
  const known = pathsOfTools.get(tool);
  if (known !== undefined) return known;
  const checks = tool.compiled?.checks ?? [];
  const paths = [
    ...checksOf(checks, "ref").map(({ path }) => path),
    ...checksOf(checks, "precondition").flatMap(({ prior }) => (prior?.resource ? [prior.resource] : [])),
    ...tool.binds.filter(({ source }) => source === "arguments").map(({ path }) => path),
    ...tool.stages.filter(({ stage }) => stage.source === "arguments").map(({ stage }) => stage.path),
  ];
  pathsOfTools.set(tool, paths);
  return paths;
}

/** Everything in the arguments that a session remembers, or that a rule compares with a remembered value. */
export function effectOfCall(program: Program, tool: Tool, args: JsonObject): string {
  const paths = pathsOf(tool);
  const sums = tool.aggregates.map((index) => {
    const aggregate = program.aggregates[index];
    const contribution = aggregate === undefined ? null : contributionOf(aggregate, args);
    if (!contribution || aggregate === undefined) return contribution === undefined ? "unusable" : null;
    const part = aggregate.per === undefined ? [] : [perValue(aggregate, args) ?? null];
    return [...part, sumNumber(contribution.total), contribution.values, contribution.distinct];
  });
  const entities = tool.watches.map((watch) => entityOf(watch, args));
  return canonicalJson([paths.map((path) => readAll(path, args)), sums, entities]);
}

/** Everything in an output that a session remembers. */
export function effectOfOutput({ env }: Program, { watches, binds, stages }: ToolEffects, output: Json): string {
  const satisfied = watches.map(
    ({ withOutput }) => withOutput.length === 0 || judgeEntries(withOutput, output, env) === true,
  );
  const paths = [
    ...binds.filter(({ source }) => source === "output").map(({ path }) => path),
    ...stages.filter(({ stage }) => stage.source === "output").map(({ stage }) => stage.path),
  ];
  return canonicalJson([satisfied, paths.map((path) => readAll(path, output))]);
}
