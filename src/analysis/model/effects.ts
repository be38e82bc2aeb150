import { canonicalJson } from "../../base/canonical-json.js";
import { sumNumber } from "../../base/exact-sum.js";
import type { Json, JsonObject } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";
import type { Program, Tool } from "../../guard/program/program.js";
import type { ToolEffects } from "../../guard/program/tool-effects.js";
import { contributionOf } from "../../guard/session/aggregate.js";
import { entityOf } from "../../guard/session/entity.js";
import { judgeEntries } from "../../guard/values/judge-value.js";
import { readAll } from "../../guard/values/read-path.js";
import { checksOf } from "./checks-of.js";

type Source = ToolEffects["binds"][number]["source"];

/** What calls of a tool bind in keyed slots and unions, and the keys that they bind and unbind it under. */
export function collectedPaths({ collections }: ToolEffects, source: Source): readonly JsonPath[] {
  const keys = collections.flatMap((effect) => [...effect.binds, ...effect.unbinds]).flatMap(({ key = [] }) => key);
  const read = [
    ...collections.flatMap((effect) => effect.binds),
    ...keys.flatMap((key) => ("source" in key ? [key] : [])),
  ];
  return read.filter((part) => part.source === source).map(({ path }) => path);
}

/** What calls of a tool bind from a source. */
export function boundPaths(tool: ToolEffects, source: Source): readonly JsonPath[] {
  const plain = tool.binds.filter((bind) => bind.source === source).map(({ path }) => path);
  return [...plain, ...collectedPaths(tool, source)];
}

const pathsOfTools = new WeakMap<Tool, readonly JsonPath[]>();

/** The paths in a tool's arguments that sessions, or rules about remembered values, read. */
function pathsOf(tool: Tool): readonly JsonPath[] {
  const known = pathsOfTools.get(tool);
  if (known !== undefined) return known;
  const checks = tool.compiled?.checks ?? [];
  const paths = [
    ...checksOf(checks, "ref").map(({ path }) => path),
    ...checksOf(checks, "precondition").flatMap(({ prior }) => (prior?.resource ? [prior.resource] : [])),
    ...boundPaths(tool, "arguments"),
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
    if (!contribution) return contribution === undefined ? "unusable" : null;
    return [sumNumber(contribution.total), contribution.values, contribution.distinct];
  });
  const entities = tool.watches.map((watch) => entityOf(watch, args));
  return canonicalJson([paths.map((path) => readAll(path, args)), sums, entities]);
}

/** Everything in an output that a session remembers. */
export function effectOfOutput({ env }: Program, tool: ToolEffects, output: Json): string {
  const { watches, stages } = tool;
  const satisfied = watches.map(
    ({ withOutput }) => withOutput.length === 0 || judgeEntries(withOutput, output, env) === true,
  );
  const paths = [
    ...boundPaths(tool, "output"),
    ...stages.filter(({ stage }) => stage.source === "output").map(({ stage }) => stage.path),
  ];
  return canonicalJson([satisfied, paths.map((path) => readAll(path, output))]);
}
