import * as d from "../base/decoder.js";
import { isJsonObject, type JsonObject } from "../base/json.js";
import { operator } from "../operators/index.js";
import { pattern } from "../operators/pattern.js";
import { typeName } from "../operators/type.js";
import { compiledSchema } from "./compiled-schema.js";
import {
  because,
  type CompiledInvariant,
  invariant,
  operators,
  path,
  place,
  providerPattern,
  ruleInvariant,
} from "./compiled-value.js";
import { type JudgedExpression, judgedExpression } from "./expression.js";

/** Types of the compiled form, each with the decoder that it is inferred from, so that neither can drift. */

/** An object of JSON. */
const jsonObject: d.Decoder<JsonObject> = (value, where) => {
  const decoded = d.json(value, where);
  if (isJsonObject(decoded)) return decoded;
  throw new d.DecodeFailure(where, "an object");
};

const source = d.oneOf("arguments", "output");
const sideEffect = d.oneOf("read", "write", "destructive", "admin", "financial");

/** One entry of a policy; without conditions it is for every principal. */
const policyEntry = d.object({ at: place, principal: d.list(invariant), ...because });

/** A condition that is an expression. */
const condition = d.object({ at: place, that: judgedExpression });

/** An expression that must hold, and the words of the policy that it was written for. */
const requirement = { at: place, reason: d.string, that: judgedExpression };

const checkpoint = {
  at: place,
  name: d.nullable(d.string),
  /** Null means always; an empty list would never ask. What is neither is reported as a condition on a path. */
  when: d.nullable(d.filledList(d.either(condition, invariant))),
  match: d.oneOf("any", "all"),
  timeout_seconds: d.number,
  on_timeout: d.oneOf("deny", "allow"),
  context: d.list(d.object({ path, label: d.string })),
  ...because,
};

/** One runtime test of a call; everything it needs was determined at compile time. */
export const check = d.tagged("kind", {
  gate: { at: place, source: d.oneOf("gate", "risk_defaults") },
  policy: { denies: d.list(policyEntry), allows: d.list(policyEntry), default_deny: d.nullable(place) },
  label_gate: { at: place, label: d.string, reason: d.string },
  phase: { at: place, phases: d.list(d.string), advances_to: d.nullable(d.string), ...because },
  forbidden_by: { tools: d.list(d.object({ at: place, tool: d.string })) },
  precondition: {
    at: place,
    prior: d.nullable(d.object({ tool: d.string, with_output: d.list(invariant), resource: d.nullable(path) })),
    step_count: d.nullable(d.count),
    ...because,
  },
  max_steps: { at: place, max: d.count },
  max_tool_calls: { at: place, max: d.count },
  max_calls_per_tool: { at: place, max: d.count },
  max_calls_per_step: { at: place, max: d.count },
  max_cost: { at: place, max: d.number },
  loop_detection: { at: place, window: d.count, threshold: d.count },
  schema: { at: place, schema: compiledSchema },
  input_invariant: { at: place, path, operators, ...because },
  execution_constraint: { at: place, path, operators, ...because },
  argument_invariant: { at: place, path, operators, ...because },
  derived_invariant: { at: place, path, operator, optional: d.boolean, passes: d.list(typeName) },
  ref: { at: place, path, slot: d.string, tolerance: d.nullable(d.number), ...because },
  capture: {
    at: place,
    path,
    /** The text there must be JSON. */
    decode: d.optional(d.oneOf("json")),
    /** The value is a key of a slot, which must be a string, a number or a boolean. */
    as: d.optional(d.oneOf("key")),
    /** The path may match any number of values, and each of them must have a key at each of these paths. */
    each: d.optional(d.list(path)),
  },
  requires: requirement,
  aggregate: { index: d.count },
  envelope: { index: d.count },
  checkpoint,
});
export type CompiledCheck = d.Decoded<typeof check>;

/** The compiled check of one kind. */
export type CheckOf<K extends CompiledCheck["kind"]> = Extract<CompiledCheck, { readonly kind: K }>;

/** How a key of a slot is found: in the arguments, in the output, or in the value that is bound. */
const slotKey = d.either(d.object({ match: path }), d.object({ source, path }));
export type CompiledKey = d.Decoded<typeof slotKey>;

/** The expressions that a check judges a call by. */
export function expressionsOf(check: CompiledCheck): readonly JudgedExpression[] {
  if (check.kind === "requires") return [check.that];
  if (check.kind !== "checkpoint") return [];
  return (check.when ?? []).flatMap((entry) => ("that" in entry ? [entry.that] : []));
}

/** The conditions of a checkpoint that are about a path; expressions are not among them. */
export function pathConditions({ when }: CheckOf<"checkpoint">): readonly CompiledInvariant[] {
  return (when ?? []).flatMap((entry) => ("that" in entry ? [] : [entry]));
}

const allowedError = d.object({
  at: place,
  status: d.nullable(d.string),
  code: d.nullable(d.string),
  message: d.nullable(pattern),
  outcome: d.nullable(d.oneOf("not_executed", "unknown")),
});

/** One tool: the checks of its calls in their order, and what a call does to the session. */
export const tool = d.object({
  name: d.string,
  at: place,
  side_effect: sideEffect,
  evidence_class: d.oneOf("local_transaction", "ack_only", "unverifiable"),
  commits: d.oneOf("on_result", "at_dispatch"),
  total_ms: d.number,
  max_attempts: d.count,
  retry_on: d.list(d.string),
  respect_retry_after: d.boolean,
  max_sleep_seconds: d.number,
  allowed_errors: d.list(allowedError),
  checks: d.list(check),
  output_invariants: d.list(ruleInvariant),
  /** What must hold once the output is there. */
  ensures: d.optional(d.filledList(d.object(requirement))),
  advances_to: d.nullable(d.string),
  forbids_after: d.list(d.string),
  binds: d.list(
    d.object({
      at: place,
      slot: d.string,
      source,
      path,
      /** Outermost first; absent for a plain slot and for a union. */
      key: d.optional(d.filledList(slotKey)),
      collect: d.optional(d.oneOf("union")),
      decode: d.optional(d.oneOf("json")),
    }),
  ),
  /** Come before the binds of the same call; without keys the whole slot. */
  unbinds: d.optional(d.filledList(d.object({ at: place, slot: d.string, key: d.list(slotKey) }))),
  response_format: d.nullable(
    d.object({
      at: place,
      finish_reason: d.nullable(d.string),
      content_when_tool_calls: d.nullable(d.oneOf("empty", "allowed")),
      tool_calls_present: d.nullable(d.boolean),
    }),
  ),
  /** The definition in tools.json that the contract was written for, where there is one. */
  definition: d.optional(d.object({ hash: d.string, output: d.boolean })),
});
export type CompiledRequirement = NonNullable<CompiledTool["ensures"]>[number];
export type CompiledTool = d.Decoded<typeof tool>;

const bounds = { gte: d.nullable(d.number), lte: d.nullable(d.number) };

const aggregate = d.object({
  at: place,
  name: d.string,
  metric: d.oneOf("sum", "count", "max", "min", "count_distinct"),
  /** Null means all tools; then a call without the path contributes nothing. */
  tools: d.nullable(d.list(d.string)),
  path: d.nullable(path),
  /** Each value there is counted apart, under the same bounds. */
  per: d.optional(path),
  ...bounds,
  reason: d.string,
  when: d.list(
    d.object({
      at: place,
      slot: d.string,
      operators,
      then_gte: d.nullable(d.number),
      then_lte: d.nullable(d.number),
    }),
  ),
});
export type CompiledAggregate = d.Decoded<typeof aggregate>;

const envelope = d.object({
  at: place,
  name: d.string,
  constraint: d.oneOf("lte_ceiling", "gte_floor", "within_band", "monotonic_decrease", "monotonic_increase", "bounded"),
  band: d.nullable(d.number),
  reason: d.string,
  stages: d.list(
    d.object({
      at: place,
      tool: d.string,
      path,
      role: d.oneOf("ceiling", "floor", "anchor", "initial", "constrained"),
      source,
    }),
  ),
});
export type CompiledEnvelope = d.Decoded<typeof envelope>;

const incompatible = d.list(d.object({ at: place, pattern: providerPattern }));

const provider = d.object({
  name: d.oneOf("openai", "anthropic"),
  block_incompatible: incompatible,
  warn_incompatible: incompatible,
  /** Where it was asked for; true in artifacts written before the place was recorded. */
  warn_floating_alias: d.either(d.boolean, place),
});
export type CompiledProvider = d.Decoded<typeof provider>;

/** A slot and what it holds; `depth` is the number of keys of a keyed one. */
const slot = d.object({
  name: d.string,
  kind: d.oneOf("plain", "keyed", "union"),
  depth: d.count,
  limit: d.nullable(d.count),
});
export type CompiledSlot = d.Decoded<typeof slot>;

/** One pack: everything a guard needs to judge the calls of one session. */
export const pack = d.object({
  folder: d.string,
  agent: d.nullable(d.string),
  phases: d.nullable(
    d.object({
      initial: d.string,
      names: d.list(d.string),
      terminal: d.list(d.string),
      transitions: d.list(d.object({ from: d.string, to: d.string })),
    }),
  ),
  needs_principal: d.boolean,
  narrows_at_cap: d.boolean,
  circuit_breaker: d.object({ consecutive_blocks: d.nullable(d.count), consecutive_errors: d.nullable(d.count) }),
  tools: d.list(tool),
  /** What still applies to a tool without a contract when the guard's options allow it. */
  unmatched_checks: d.list(check),
  aggregates: d.list(aggregate),
  envelopes: d.list(envelope),
  resources: d.list(d.object({ at: place, name: d.string, type: d.string, path })),
  providers: d.list(provider),
  /** Values that expressions name. */
  constants: d.optional(jsonObject),
  /** An IANA name: where times without an offset are read. */
  timezone: d.optional(d.string),
  /** All slots of the pack; absent if each of them is plain. */
  slots: d.optional(d.filledList(slot)),
});
export type CompiledPack = d.Decoded<typeof pack>;

const closePolicy = d.oneOf("request_cancel", "terminate", "abandon");

/** A workflow; its roles name packs of the artifact by index. */
export const workflow = d.object({
  at: place,
  name: d.string,
  roles: d.list(d.object({ at: place, name: d.string, pack: d.count })),
  handoffs: d.list(
    d.object({
      at: place,
      from: d.string,
      to: d.string,
      requires_artifacts: d.list(d.string),
      parent_close_policy: d.nullable(closePolicy),
    }),
  ),
  limits: d.object({
    max_sessions: d.nullable(d.count),
    max_active_sessions: d.nullable(d.count),
    max_total_steps: d.nullable(d.count),
    max_total_cost: d.nullable(d.number),
    max_open_handoffs: d.nullable(d.count),
  }),
  shared_resources: d.list(
    d.object({ at: place, alias: d.string, mode: d.oneOf("single_writer", "exclusive_pending", "serial_only") }),
  ),
  subtree_kill: d.boolean,
  workflow_kill: d.nullable(d.oneOf("operator_only")),
  parent_close_policy: closePolicy,
});
export type CompiledWorkflow = d.Decoded<typeof workflow>;

/** The format this code writes; a guard rejects every other one by name. */
export const FORMAT_VERSION = 2;

const artifactBody = {
  format: d.count,
  /** The version of the contract language the pack is written in. */
  language: d.string,
  /** The first is the pack itself, the others are those of its workflow's roles. */
  packs: d.list(pack),
  workflow: d.nullable(workflow),
};

/** The compiled form of a pack: plain data, the only thing a guard loads. */
export const artifact = d.object({ hash: d.string, ...artifactBody });
export type Artifact = d.Decoded<typeof artifact>;
export type ArtifactBody = Omit<Artifact, "hash">;
