import { canonicalJson } from "../base/canonical-json.js";
import type { Json } from "../base/json.js";
import type {
  CheckOf,
  CompiledAggregate,
  CompiledCheck,
  CompiledEnvelope,
  CompiledPack,
  CompiledProvider,
  CompiledRequirement,
  CompiledTool,
} from "./compiled.js";
import type { SchemaNode } from "./compiled-schema.js";
import { type CompiledRule, isSamePlace, type Place } from "./compiled-value.js";

/** Schemas nested deeper count as restricting something. */
const DEEPEST = 20;

/** An entry of a policy. */
type PolicyEntry = CheckOf<"policy">["denies"][number];

/** The checks that are exactly one rule each. */
type PlainCheck = Exclude<CompiledCheck, { readonly kind: "policy" | "forbidden_by" | "aggregate" | "envelope" }>;

/** Rules on requests to models and on their responses; no call is judged by them. */
export type ModelRuleBody =
  /** Requests that must not be sent, and those that get a warning. */
  | { readonly kind: "provider_block"; readonly provider: ProviderName; readonly pattern: string }
  | { readonly kind: "provider_warn"; readonly provider: ProviderName; readonly pattern: string }
  /** Model names that may change their meaning get a warning. */
  | { readonly kind: "floating_alias"; readonly provider: ProviderName }
  /** One field that is required of a response that calls the tool, or was asked to. */
  | { readonly kind: "response_format"; readonly tool: string; readonly demand: ResponseDemand };

type ProviderName = CompiledProvider["name"];

export type ResponseDemand =
  | { readonly field: "finish_reason"; readonly value: string }
  | { readonly field: "content_when_tool_calls" | "tool_calls_present" };

const OF_MODELS: ReadonlySet<string> = new Set([
  "provider_block",
  "provider_warn",
  "floating_alias",
  "response_format",
]);

/** Whether a rule is about requests and responses of models, and not about calls. */
export function isOfModel(body: RuleBody): body is ModelRuleBody {
  return OF_MODELS.has(body.kind);
}

/** The content of a rule, with everything needed to word it. */
export type RuleBody =
  | PlainCheck
  | { readonly kind: "policy_deny"; readonly entry: PolicyEntry }
  /** One of the entries must name the principal. */
  | { readonly kind: "policy_allow"; readonly entries: readonly PolicyEntry[] }
  | { readonly kind: "default_deny" }
  | { readonly kind: "forbidden_by"; readonly tool: string }
  | { readonly kind: "aggregate"; readonly aggregate: CompiledAggregate }
  | { readonly kind: "envelope"; readonly envelope: CompiledEnvelope }
  | { readonly kind: "output_invariant"; readonly invariant: CompiledRule }
  | { readonly kind: "ensures"; readonly requirement: CompiledRequirement }
  /** A value of an output that must stay within an envelope. */
  | {
      readonly kind: "output_stage";
      readonly envelope: CompiledEnvelope;
      readonly stage: CompiledEnvelope["stages"][number];
    }
  | { readonly kind: "circuit_breaker"; readonly of: "blocks" | "errors"; readonly most: number }
  | ModelRuleBody;

export type RuleKind = RuleBody["kind"];

/** One rule of a pack: whatever can by itself refuse a call or reject its output. */
export interface PackRule {
  /** Unique within the pack, the same every time. */
  readonly id: string;
  /** Null where the artifact records no place. */
  readonly at: Place | null;
  /** The tools whose calls it judges, in the order of the pack. */
  readonly tools: readonly string[];
  readonly body: RuleBody;
}

/** The words of the policy that a rule was written for; null without any, and for entries of which any may be meant. */
export function becauseOf(body: RuleBody): string | null {
  switch (body.kind) {
    case "policy_deny":
      return body.entry.because ?? null;
    case "policy_allow":
      return body.entries.length === 1 ? (body.entries[0]?.because ?? null) : null;
    case "output_invariant":
      return body.invariant.because ?? null;
    case "aggregate":
      return body.aggregate.reason;
    case "envelope":
    case "output_stage":
      return body.envelope.reason;
    case "label_gate":
      return body.reason;
    default:
      return "because" in body ? (body.because ?? null) : null;
  }
}

/** What a rule is made of. */
export interface Found {
  readonly at: Place | null;
  readonly body: RuleBody;
}

/** The rules that a check refuses by. */
export function rulesOfCheck(check: CompiledCheck, { aggregates, envelopes }: CompiledPack): readonly Found[] {
  switch (check.kind) {
    case "policy": {
      const found: Found[] = check.denies.map((entry) => ({ at: entry.at, body: { kind: "policy_deny", entry } }));
      const [first] = check.allows;
      if (first !== undefined) found.push({ at: first.at, body: { kind: "policy_allow", entries: check.allows } });
      else if (check.default_deny !== null) found.push({ at: check.default_deny, body: { kind: "default_deny" } });
      return found;
    }
    case "forbidden_by":
      return check.tools.map(({ at, tool }) => ({ at, body: { kind: "forbidden_by", tool } }));
    case "aggregate": {
      const aggregate = aggregates[check.index];
      return aggregate === undefined ? [] : [{ at: aggregate.at, body: { kind: "aggregate", aggregate } }];
    }
    case "envelope": {
      const envelope = envelopes[check.index];
      return envelope === undefined ? [] : [{ at: envelope.at, body: { kind: "envelope", envelope } }];
    }
    default:
      return [{ at: check.at, body: check }];
  }
}

/** A tool that is valid in every phase, with an allowed transition from each, is refused in none. */
function isEverywhere({ phases: own, advances_to: next }: CheckOf<"phase">, { phases }: CompiledPack): boolean {
  const names = phases?.names ?? [];
  if (!names.every((name) => own.includes(name))) return false;
  const leads = (from: string) => phases?.transitions.some((edge) => edge.from === from && edge.to === next) ?? false;
  return next === null || names.every((name) => name === next || leads(name));
}

/** An envelope that only judges outputs is a check that never refuses a call. */
function judgesArguments({ name }: CompiledTool, { index }: CheckOf<"envelope">, pack: CompiledPack): boolean {
  const stages = pack.envelopes[index]?.stages ?? [];
  return stages.some(({ tool, role, source }) => tool === name && role === "constrained" && source === "arguments");
}

/** A schema that only asks for an object refuses nothing, because arguments always are one; neither does `true`. */
function isOpen(node: SchemaNode, depth: number): boolean {
  if (typeof node === "boolean") return node;
  if (depth > DEEPEST) return false;
  return node.every((test) => {
    switch (test.kind) {
      case "type":
        return depth === 0 && test.types.includes("object");
      case "properties":
        return test.entries.every((entry) => isOpen(entry.node, depth + 1));
      case "additional_properties":
        return isOpen(test.node, depth + 1);
      case "required":
        return test.names.length === 0;
      case "min_properties":
        return test.count === 0;
      default:
        return false;
    }
  });
}

/** Whether there is anything that the check could refuse. */
function canRefuse(tool: CompiledTool, check: CompiledCheck, pack: CompiledPack): boolean {
  if (check.kind === "phase") return !isEverywhere(check, pack);
  if (check.kind === "schema") return !isOpen(check.schema.root, 0);
  return check.kind !== "envelope" || judgesArguments(tool, check, pack);
}

function rulesOfTool(tool: CompiledTool, pack: CompiledPack): readonly (readonly [CompiledCheck | null, Found])[] {
  const found: (readonly [CompiledCheck | null, Found])[] = tool.checks
    .filter((check) => canRefuse(tool, check, pack))
    .flatMap((check) => rulesOfCheck(check, pack).map((rule) => [check, rule] as const));
  for (const invariant of tool.output_invariants) {
    found.push([null, { at: invariant.at, body: { kind: "output_invariant", invariant } }]);
  }
  for (const requirement of tool.ensures ?? []) {
    found.push([null, { at: requirement.at, body: { kind: "ensures", requirement } }]);
  }
  for (const envelope of pack.envelopes) {
    for (const stage of envelope.stages) {
      if (stage.tool !== tool.name || stage.role !== "constrained" || stage.source !== "output") continue;
      found.push([null, { at: stage.at, body: { kind: "output_stage", envelope, stage } }]);
    }
  }
  return found;
}

function breakers({ circuit_breaker: breaker }: CompiledPack): readonly Found[] {
  const found: Found[] = [];
  const { consecutive_blocks: blocks, consecutive_errors: errors } = breaker;
  if (blocks !== null) found.push({ at: null, body: { kind: "circuit_breaker", of: "blocks", most: blocks } });
  if (errors !== null) found.push({ at: null, body: { kind: "circuit_breaker", of: "errors", most: errors } });
  return found;
}

function providerRules({ providers }: CompiledPack): readonly Found[] {
  return providers.flatMap(({ name: provider, ...given }): readonly Found[] => {
    const { block_incompatible: blocks, warn_incompatible: warns, warn_floating_alias: floating } = given;
    const ofPatterns = (kind: "provider_block" | "provider_warn", patterns: typeof blocks) =>
      patterns.map(({ at, pattern }): Found => ({ at, body: { kind, provider, pattern } }));
    const alias: Found = {
      at: floating === true || floating === false ? null : floating,
      body: { kind: "floating_alias", provider },
    };
    return [
      ...ofPatterns("provider_block", blocks),
      ...ofPatterns("provider_warn", warns),
      ...(floating === false ? [] : [alias]),
    ];
  });
}

/** What a tool demands of responses; `allowed` and `false` demand nothing. */
function responseRules({ name: tool, response_format: format }: CompiledTool): readonly Found[] {
  if (format === null) return [];
  const demands: ResponseDemand[] = [];
  if (format.finish_reason !== null) demands.push({ field: "finish_reason", value: format.finish_reason });
  if (format.content_when_tool_calls === "empty") demands.push({ field: "content_when_tool_calls" });
  if (format.tool_calls_present === true) demands.push({ field: "tool_calls_present" });
  return demands.map((demand) => ({ at: format.at, body: { kind: "response_format", tool, demand } }));
}

/** The rules of a pack, each once, however many tools it is for. */
export class PackRules {
  readonly all: readonly PackRule[];
  private readonly byCheck = new Map<CompiledCheck, readonly PackRule[]>();
  private readonly byTool = new Map<string, readonly PackRule[]>();

  constructor(pack: CompiledPack) {
    const byContent = new Map<string, { rule: PackRule; tools: string[] }>();
    const ids = new Map<string, number>();
    const enter = ({ at, body }: Found, tool: string | null): PackRule => {
      const content = canonicalJson({ at, body } as unknown as Json);
      const known = byContent.get(content);
      if (known !== undefined) {
        if (tool !== null && known.tools.at(-1) !== tool) known.tools.push(tool);
        return known.rule;
      }
      const name = at === null ? body.kind : `${body.kind}@${at.file}:${at.line}`;
      const times = (ids.get(name) ?? 0) + 1;
      ids.set(name, times);
      const tools = tool === null ? pack.tools.map((every) => every.name) : [tool];
      const rule = { id: times === 1 ? name : `${name}#${times}`, at, tools, body };
      byContent.set(content, { rule, tools });
      return rule;
    };
    for (const tool of pack.tools) {
      const own: PackRule[] = [];
      for (const [check, found] of rulesOfTool(tool, pack)) {
        const rule = enter(found, tool.name);
        if (!own.includes(rule)) own.push(rule);
        if (check !== null) this.byCheck.set(check, [...(this.byCheck.get(check) ?? []), rule]);
      }
      this.byTool.set(tool.name, own);
    }
    for (const found of breakers(pack)) enter(found, null);
    for (const found of providerRules(pack)) enter(found, null);
    for (const tool of pack.tools) for (const found of responseRules(tool)) enter(found, tool.name);
    this.all = [...byContent.values()].map(({ rule }) => rule);
  }

  /** The rules for calls of the tool, in the order in which they are judged. */
  ofTool(tool: string): readonly PackRule[] {
    return this.byTool.get(tool) ?? [];
  }

  /** The rules on responses that call the tool, or were asked to. */
  ofResponses(tool: string): readonly PackRule[] {
    return this.all.filter(({ body }) => body.kind === "response_format" && body.tool === tool);
  }

  /** All rules that a check of the pack may refuse by. */
  inCheck(check: CompiledCheck): readonly PackRule[] {
    return this.byCheck.get(check) ?? [];
  }

  /** The rules that are judged by one check with a rule, itself included. */
  sharing(rule: PackRule): readonly PackRule[] {
    const shared = [...this.byCheck.values()].filter((rules) => rules.includes(rule)).flat();
    return shared.length === 0 ? [rule] : [...new Set(shared)];
  }

  /** The rule that a check of the pack refused by, at the place its refusal names. */
  ofCheck(check: CompiledCheck, at: Place | null): PackRule | undefined {
    const rules = this.inCheck(check);
    if (rules.length <= 1) return rules[0];
    return rules.find((rule) => isSamePlace(rule.at, at)) ?? rules[0];
  }
}
