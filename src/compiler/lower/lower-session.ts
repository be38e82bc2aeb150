import type { CompiledAggregate, CompiledEnvelope, CompiledPack } from "../../artifact/compiled.js";
import { isJsonObject } from "../../base/json.js";
import type { Aggregate, Envelope, SessionContract, Stage } from "../../language/schema/session.js";
import type { ToolContract } from "../../language/schema/tool.js";
import { lowerOperators, lowerPath, nothingLeft, placeIn } from "./lower-value.js";
import { placeAt } from "./session-checks.js";

/** The entries of a mapping by name: their order in the text must not matter. */
function byName<T>(mapping: { readonly [name: string]: T }): readonly (readonly [string, T])[] {
  return Object.entries(mapping).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The phase machine; null where the pack has one implicit phase. */
export function lowerPhases(session: SessionContract | null): CompiledPack["phases"] {
  const phases = session?.phases;
  if (phases === undefined) return null;
  const transitions = byName(session?.transitions ?? {}).flatMap(([from, followers]) =>
    followers.map((to) => ({ from, to })),
  );
  return {
    initial: phases.find(({ initial }) => initial === true)?.name ?? "",
    names: phases.map(({ name }) => name),
    terminal: phases.filter(({ terminal }) => terminal === true).map(({ name }) => name),
    transitions,
  };
}

/** One aggregate. */
export function lowerAggregate(aggregate: Aggregate): CompiledAggregate {
  const { name, metric, tool, path, per, gte, lte, reason, when, ...rest } = aggregate;
  nothingLeft(rest);
  const tools = tool === "*" ? null : typeof tool === "string" ? [tool] : tool;
  return {
    at: placeIn(aggregate),
    name,
    metric,
    tools,
    path: path === undefined || metric === "count" ? null : lowerPath(path),
    ...(per === undefined ? {} : { per: lowerPath(per) }),
    gte: gte ?? null,
    lte: lte ?? null,
    reason,
    when: (when ?? []).map((override) => {
      const { binding: slot, then_gte = null, then_lte = null, ...operators } = override;
      return { at: placeIn(override), slot, operators: lowerOperators(operators), then_gte, then_lte };
    }),
  };
}

function lowerStage(stage: Stage): CompiledEnvelope["stages"][number] {
  const { tool, path, role, source = "arguments", ...rest } = stage;
  nothingLeft(rest);
  return { at: placeIn(stage), tool, path: lowerPath(path), role, source };
}

/** One envelope. */
export function lowerEnvelope(envelope: Envelope): CompiledEnvelope {
  const { name, constraint, band = null, reason, stages, ...rest } = envelope;
  nothingLeft(rest);
  return {
    at: placeIn(envelope),
    name,
    constraint,
    band,
    reason,
    stages: stages.map(lowerStage),
  };
}

/** The resources that calls act on. */
export function lowerResources(session: SessionContract | null): CompiledPack["resources"] {
  const resources = session?.resources ?? {};
  return byName(resources).map(([name, resource]) => ({
    at: placeIn(resource),
    name,
    type: resource.type,
    path: lowerPath(resource.extract_from.path),
  }));
}

/** The constraints on requests to model providers. */
export function lowerProviders(session: SessionContract | null): CompiledPack["providers"] {
  const constraints = session?.provider_constraints;
  return (["anthropic", "openai"] as const).flatMap((name) => {
    const provider = constraints?.[name];
    if (provider === undefined) return [];
    const patterns = (list: readonly string[] = []) =>
      list.map((pattern, index) => ({ at: placeAt(list, index), pattern }));
    return [
      {
        name,
        block_incompatible: patterns(provider.block_incompatible),
        warn_incompatible: patterns(provider.warn_incompatible),
        warn_floating_alias: provider.warn_floating_alias === true && placeAt(provider, "warn_floating_alias"),
      },
    ];
  });
}

/** What expressions read besides calls and slots; absent where session.yaml does not have it. */
export function lowerSettings(session: SessionContract | null): Pick<CompiledPack, "constants" | "timezone"> {
  const { constants, timezone } = session ?? {};
  return { ...(constants === undefined ? {} : { constants }), ...(timezone === undefined ? {} : { timezone }) };
}

/** Whether any rule of the pack reads the principal. */
export function needsPrincipal(session: SessionContract | null, contracts: readonly ToolContract[]): boolean {
  const entries = [
    ...(session?.policy?.rules ?? []).flatMap(({ allow, deny }) => [allow, deny]),
    ...contracts.flatMap(({ policy }) => [...(policy?.allow ?? []), ...(policy?.deny ?? [])]),
  ];
  return entries.some(
    (entry) => entry?.principal !== undefined && (Array.isArray(entry.principal) || isJsonObject(entry.principal)),
  );
}
