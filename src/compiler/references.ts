import type { Span } from "../diagnostics/source.js";
import type { Draft } from "../language/draft.js";
import { keySpan, valueSpan } from "../language/located.js";
import type { ClaimsContract } from "../language/schema/claims.js";
import type { ScenarioContract } from "../language/schema/scenario.js";
import type { SessionContract } from "../language/schema/session.js";
import type { ToolContract } from "../language/schema/tool.js";
import { givenSessions } from "./given-sessions.js";
import { eachName, type RuleContext } from "./rule-context.js";

/** A place where a contract names a tool. */
export interface ToolReference {
  readonly tool: string;
  readonly span: Span;
  readonly where: string;
}

function* fromTool(contract: Draft<ToolContract>): Generator<ToolReference> {
  for (const precondition of contract.preconditions ?? []) {
    const tool = precondition.requires_prior_tool;
    if (tool === undefined) continue;
    yield { tool, span: valueSpan(precondition, "requires_prior_tool"), where: "requires_prior_tool" };
  }
  yield* fromList(contract.forbids_after, "forbids_after");
}

function* fromList(names: readonly string[] | undefined, where: string): Generator<ToolReference> {
  for (const { name, span } of eachName(names)) if (name !== "*") yield { tool: name, span, where };
}

function* fromEntry(entry: { readonly tool?: string }, where: string): Generator<ToolReference> {
  if (entry.tool === undefined || entry.tool === "*") return;
  yield { tool: entry.tool, span: valueSpan(entry, "tool"), where };
}

function* fromSession(session: Draft<SessionContract>): Generator<ToolReference> {
  const limits = session.session_limits?.max_calls_per_tool ?? {};
  for (const tool of Object.keys(limits)) yield { tool, span: keySpan(limits, tool), where: "max_calls_per_tool" };
  for (const rule of session.policy?.rules ?? []) {
    yield* fromList(rule.allow?.tools, "policy");
    yield* fromList(rule.deny?.tools, "policy");
  }
  for (const gate of session.policy?.label_gates ?? []) yield* fromList(gate.deny_tools, "deny_tools");
  for (const aggregate of session.aggregates ?? []) {
    const { tool } = aggregate;
    if (typeof tool !== "string") yield* fromList(tool, "aggregates");
    else if (tool !== "*") yield { tool, span: valueSpan(aggregate, "tool"), where: "aggregates" };
  }
  for (const { stages } of session.envelopes ?? []) {
    for (const stage of stages ?? []) yield* fromEntry(stage, "envelopes");
  }
  for (const { tools } of session.requires ?? []) yield* fromList(tools, "requires");
  for (const checkpoint of session.checkpoints ?? []) yield* fromEntry(checkpoint, "checkpoints");
  for (const suppression of session.graph_analysis?.suppress ?? []) yield* fromEntry(suppression, "suppress");
}

function* fromClaims({ claims }: Draft<ClaimsContract>): Generator<ToolReference> {
  for (const { never: named, at_most: most, requires_approval: approval } of claims ?? []) {
    // The tool of a role is one of another pack.
    const never = named?.role === undefined && named?.while === undefined ? named : undefined;
    yield* fromEntry(never ?? {}, "never");
    for (const key of ["without_prior", "after"] as const) {
      const tool = never?.[key];
      if (never !== undefined && tool !== undefined) yield { tool, span: valueSpan(never, key), where: key };
    }
    yield* fromEntry(most ?? {}, "at_most");
    yield* fromEntry(approval ?? {}, "requires_approval");
  }
}

/** A misspelt name is refused too, so that a test which expects a refusal would pass for the wrong reason. */
function* fromScenario({ steps }: Draft<ScenarioContract>): Generator<ToolReference> {
  for (const step of steps ?? []) {
    const { call, reason, settle } = step;
    if (call !== undefined && reason !== "unmatched_tool")
      yield { tool: call, span: valueSpan(step, "call"), where: "call" };
    if (settle?.call !== undefined) yield { tool: settle.call, span: valueSpan(settle, "call"), where: "settle" };
  }
}

/** Every place in a pack that names a tool. */
export function* toolReferences(context: RuleContext): Generator<ToolReference> {
  for (const { contract } of context.tools) yield* fromTool(contract);
  for (const { given, where } of givenSessions(context)) {
    for (const entry of given.history ?? []) yield* fromEntry(entry, where);
  }
  if (context.session !== null) yield* fromSession(context.session);
  if (context.claims !== null) yield* fromClaims(context.claims);
  for (const { draft } of context.files.scenarios) yield* fromScenario(draft);
}
