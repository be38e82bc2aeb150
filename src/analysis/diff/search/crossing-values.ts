import type { CompiledInvariant } from "../../../artifact/compiled-value.js";
import type { PackRule, RuleBody } from "../../../artifact/pack-rules.js";
import { isJsonObject, type Json, type JsonObject } from "../../../base/json.js";
import type { JsonPath } from "../../../base/json-path.js";
import type { PackUnderTest } from "../../model/pack-under-test.js";
import { PLAIN_VALUES, satisfyingValues } from "../../values/operator-values.js";
import { type Put, putsAt } from "./edits.js";
import { isRef, operatorsAt, sourcesOf } from "./links.js";

/** Values on which the two forms of changed rules may differ. */
export interface Crossing {
  readonly arguments: readonly Put[];
  /** By tool, arguments of earlier calls that a call with such arguments needs. */
  readonly linked: ReadonlyMap<string, readonly Put[]>;
  /** By tool. */
  readonly outputs: ReadonlyMap<string, readonly Put[]>;
  readonly principals: readonly Put[];
  /** Whether the definition of the arguments changed, so that any argument may be of another type, or missing. */
  readonly isTyped: boolean;
}

const MOST_LINKED = 4;

type Entry = Pick<CompiledInvariant, "path" | "operators">;

/** What a rule asks of arguments, or of principals. */
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
      return { arguments: body.when ?? [] };
    case "policy_deny":
      return { principals: body.entry.principal };
    case "policy_allow":
      return { principals: body.entries.flatMap(({ principal }) => principal) };
    default:
      return {};
  }
}

/** The outputs that a rule judges, by the tool that gives them. */
function outputsOf(body: RuleBody, tool: string): readonly (readonly [string, readonly Entry[]])[] {
  if (body.kind === "output_invariant") return [[tool, [body.invariant]]];
  return body.kind === "precondition" && body.prior !== null ? [[body.prior.tool, body.prior.with_output]] : [];
}

/** Where an argument must equal what another tool answered, it is of another type only if that was. */
function boundOutputs(under: PackUnderTest, tool: string): readonly (readonly [string, Put])[] {
  const slots = new Set((under.tool(tool)?.checks ?? []).filter(isRef).map(({ slot }) => slot));
  return under.pack.tools.flatMap(({ name, binds }) =>
    binds
      .filter(({ slot, source }) => source === "output" && slots.has(slot))
      .map(({ path }) => [name, { path, value: 1 }] as const),
  );
}

/** What the sources of an argument accept: among it may be what the tool itself refuses. */
function linkedPuts(
  under: PackUnderTest,
  tool: string,
  { paths, env }: { readonly paths: readonly JsonPath[]; readonly env: ReadonlyMap<string, string> },
): readonly (readonly [string, Put])[] {
  return paths.flatMap((path) =>
    sourcesOf(under, tool, path).flatMap(([source, at]) =>
      satisfyingValues(operatorsAt(under, source, at), env)
        .slice(0, MOST_LINKED)
        .map((value) => [source, { path: at, value }] as const),
    ),
  );
}

/** Puts by the tool they are for. */
export function grouped(pairs: readonly (readonly [string, Put])[]): ReadonlyMap<string, readonly Put[]> {
  const byTool = new Map<string, Put[]>();
  for (const [tool, put] of pairs) byTool.set(tool, [...(byTool.get(tool) ?? []), put]);
  return byTool;
}

/** The arguments that a rule looks at by themselves, or compares with those of earlier calls. */
function judgedPaths(body: RuleBody): readonly JsonPath[] {
  if (body.kind === "ref") return [body.path];
  if (body.kind === "precondition") return body.prior?.resource ? [body.prior.resource] : [];
  return (entriesOf(body).arguments ?? []).map(({ path }) => path);
}

/** The values that the changed rules of a tool name, in their old and in their new form. */
export function crossingValues(
  under: PackUnderTest,
  tool: string,
  { rules, env }: { readonly rules: readonly PackRule[]; readonly env: Readonly<Record<string, string>> },
): Crossing {
  const variables = new Map(Object.entries(env));
  const puts = (entries: readonly Entry[] | undefined) => (entries ?? []).flatMap((entry) => putsAt(entry, variables));
  const bodies = rules.map(({ body }) => body);
  const isTyped = bodies.some(({ kind }) => kind === "schema" || kind === "derived_invariant");
  const outputs = bodies.flatMap((body) =>
    outputsOf(body, tool).flatMap(([name, entries]) => puts(entries).map((put) => [name, put] as const)),
  );
  const judged = bodies.flatMap(judgedPaths);
  return {
    linked: grouped(linkedPuts(under, tool, { paths: judged, env: variables })),
    arguments: bodies.flatMap((body) => puts(entriesOf(body).arguments)),
    principals: bodies.flatMap((body) => puts(entriesOf(body).principals)),
    outputs: grouped([...outputs, ...(isTyped ? boundOutputs(under, tool) : [])]),
    isTyped,
  };
}

/** Arguments with each of them of every other type, and without each. */
export function retyped(args: JsonObject): readonly JsonObject[] {
  return Object.keys(args).flatMap((name) => {
    const { [name]: _, ...rest } = args;
    return [rest, ...PLAIN_VALUES.map((value) => ({ ...args, [name]: value }))];
  });
}

/** Only what can be the arguments of a call. */
export function objectsAmong(values: readonly Json[]): readonly JsonObject[] {
  return values.filter(isJsonObject);
}
