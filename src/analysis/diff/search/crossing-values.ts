import { pathConditions } from "../../../artifact/compiled.js";
import type { CompiledInvariant } from "../../../artifact/compiled-value.js";
import type { PackRule, RuleBody } from "../../../artifact/pack-rules.js";
import { isJsonObject, type Json, type JsonObject } from "../../../base/json.js";
import type { JsonPath } from "../../../base/json-path.js";
import type { PackUnderTest } from "../../model/pack-under-test.js";
import { PLAIN_VALUES, satisfyingValues } from "../../values/operator-values.js";
import { type Edit, editsAt } from "./edits.js";
import { isRef, operatorsAt, sourcesOf } from "./links.js";

/** Values that the old and the new form of changed rules may judge differently. */
export interface Crossing {
  readonly arguments: readonly Edit[];
  /** By tool, arguments of earlier calls that a call with such arguments needs. */
  readonly linked: ReadonlyMap<string, readonly Edit[]>;
  /** By tool. */
  readonly outputs: ReadonlyMap<string, readonly Edit[]>;
  readonly principals: readonly Edit[];
  /** Whether the schema of the arguments changed, so that any argument may have another type or be missing. */
  readonly isTyped: boolean;
}

const MOST_LINKED = 4;

type Entry = Pick<CompiledInvariant, "path" | "operators">;

/** What a rule requires of arguments or principals. */
export function entriesOf(body: RuleBody): {
  readonly arguments?: readonly Entry[];
  readonly principals?: readonly Entry[];
} {
  switch (body.kind) {
    case "input_invariant":
    case "execution_constraint":
    case "argument_invariant":
      return { arguments: [body] };
    case "derived_invariant":
      return { arguments: [{ path: body.path, operators: [body.operator] }] };
    case "checkpoint":
      return { arguments: pathConditions(body) };
    case "policy_deny":
      return { principals: body.entry.principal };
    case "policy_allow":
      return { principals: body.entries.flatMap(({ principal }) => principal) };
    default:
      return {};
  }
}

/** The outputs that a rule judges, by tool. */
function outputsOf(body: RuleBody, tool: string): readonly (readonly [string, readonly Entry[]])[] {
  if (body.kind === "output_invariant") return [[tool, [body.invariant]]];
  return body.kind === "precondition" && body.prior !== null ? [[body.prior.tool, body.prior.with_output]] : [];
}

/** An argument that must equal an output of another tool can have another type only if the output does. */
function boundOutputs(under: PackUnderTest, tool: string): readonly (readonly [string, Edit])[] {
  const slots = new Set((under.tool(tool)?.checks ?? []).filter(isRef).map(({ slot }) => slot));
  return under.pack.tools.flatMap(({ name, binds }) =>
    binds
      .filter(({ slot, source }) => source === "output" && slots.has(slot))
      .map(({ path }) => [name, { path, value: 1 }] as const),
  );
}

/** Values that the sources of an argument accept; the tool itself may refuse some of them. */
function linkedEdits(
  under: PackUnderTest,
  tool: string,
  { paths, env }: { readonly paths: readonly JsonPath[]; readonly env: ReadonlyMap<string, string> },
): readonly (readonly [string, Edit])[] {
  return paths.flatMap((path) =>
    sourcesOf(under, tool, path).flatMap(([source, at]) =>
      satisfyingValues(operatorsAt(under, source, at), env)
        .slice(0, MOST_LINKED)
        .map((value) => [source, { path: at, value }] as const),
    ),
  );
}

/** Edits by tool. */
export function grouped(pairs: readonly (readonly [string, Edit])[]): ReadonlyMap<string, readonly Edit[]> {
  const byTool = new Map<string, Edit[]>();
  for (const [tool, edit] of pairs) byTool.set(tool, [...(byTool.get(tool) ?? []), edit]);
  return byTool;
}

/** The arguments that a rule judges, or compares with those of earlier calls. */
function judgedPaths(body: RuleBody): readonly JsonPath[] {
  if (body.kind === "ref") return [body.path];
  if (body.kind === "precondition") return body.prior?.resource ? [body.prior.resource] : [];
  return (entriesOf(body).arguments ?? []).map(({ path }) => path);
}

/** The values that changed rules of a tool name. */
export function crossingValues(
  under: PackUnderTest,
  tool: string,
  { rules, env }: { readonly rules: readonly PackRule[]; readonly env: Readonly<Record<string, string>> },
): Crossing {
  const variables = new Map(Object.entries(env));
  const edits = (entries: readonly Entry[] | undefined) =>
    (entries ?? []).flatMap((entry) => editsAt(entry, variables));
  const bodies = rules.map(({ body }) => body);
  const isTyped = bodies.some(({ kind }) => kind === "schema" || kind === "derived_invariant");
  const outputs = bodies.flatMap((body) =>
    outputsOf(body, tool).flatMap(([name, entries]) => edits(entries).map((edit) => [name, edit] as const)),
  );
  const judged = bodies.flatMap(judgedPaths);
  return {
    linked: grouped(linkedEdits(under, tool, { paths: judged, env: variables })),
    arguments: bodies.flatMap((body) => edits(entriesOf(body).arguments)),
    principals: bodies.flatMap((body) => edits(entriesOf(body).principals)),
    outputs: grouped([...outputs, ...(isTyped ? boundOutputs(under, tool) : [])]),
    isTyped,
  };
}

/** Variants in which one argument has another type or is missing. */
export function retyped(args: JsonObject): readonly JsonObject[] {
  return Object.keys(args).flatMap((name) => {
    const { [name]: _, ...rest } = args;
    return [rest, ...PLAIN_VALUES.map((value) => ({ ...args, [name]: value }))];
  });
}

/** The values that can be arguments of a call. */
export function objectsAmong(values: readonly Json[]): readonly JsonObject[] {
  return values.filter(isJsonObject);
}
