import type { ModelRuleBody, PackRule } from "../../artifact/pack-rules.js";
import { isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { type PatternTerm, parseProviderPattern } from "../../base/provider-pattern.js";
import type { Guard } from "../../guard/guard-api.js";
import { requestPattern } from "../../guard/model/pattern-match.js";
import type { ModelWitness } from "../verification.js";

/** The result for a rule on requests or responses; same statuses as for rules on calls. */
export interface ModelRuleResult {
  readonly rule: string;
  readonly status: "fires" | "never_alone" | "not_shown";
  readonly others: readonly string[];
  readonly shown: ModelWitness | null;
}

interface ModelRule {
  readonly id: string;
  readonly body: ModelRuleBody;
}

type OfResponse = Extract<ModelRuleBody, { readonly kind: "response_format" }>;

function wordValue(word: string): Json {
  if (word === "true" || word === "false") return word === "true";
  if (word === "null") return null;
  return /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/.test(word) ? Number(word) : word;
}

function withValue(body: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [name = "", ...rest] = path;
  const inner = Object.hasOwn(body, name) ? body[name] : undefined;
  return { ...body, [name]: rest.length === 0 ? value : withValue(isJsonObject(inner) ? inner : {}, rest, value) };
}

function withTerm(body: JsonObject, term: PatternTerm): JsonObject {
  if (term.kind === "value") {
    // The name of a model is a text, even where it reads like a number.
    const isName = term.path.length === 1 && term.path[0] === "model";
    return withValue(body, term.path, isName ? term.word : wordValue(term.word));
  }
  const isModel = /[-0-9]/.test(term.text) && !Object.hasOwn(body, "model");
  if (isModel) return withValue(body, ["model"], term.text);
  if (Object.hasOwn(body, term.text)) return body;
  return withValue(body, [term.text], term.text === "model" ? "some-model" : true);
}

/** The smallest request that a pattern matches, if it matches any; null where its model would be no name. */
function requestFor(pattern: string): JsonObject | null {
  const parsed = parseProviderPattern(pattern);
  const terms = parsed.ok ? parsed.terms : [];
  const values = terms.filter(({ kind }) => kind === "value");
  const request = [...values, ...terms.filter(({ kind }) => kind === "bare")].reduce(withTerm, {});
  return typeof (request.model ?? "") === "string" ? request : null;
}

/** The provider's other blocking patterns that match the request. */
function alsoBlocking(request: JsonObject, rule: ModelRule, rules: readonly PackRule[]): readonly string[] {
  return rules.flatMap(({ id, body }) => {
    if (id === rule.id || body.kind !== "provider_block" || rule.body.kind === "response_format") return [];
    const isIt = body.provider === rule.body.provider && requestPattern(body.pattern).matched(request) !== null;
    return isIt ? [id] : [];
  });
}

function tryRequest(
  rule: ModelRule,
  body: Exclude<ModelRuleBody, OfResponse>,
  { guard, rules }: { readonly guard: Guard; readonly rules: readonly PackRule[] },
): ModelRuleResult {
  const { provider } = body;
  const request = body.kind === "floating_alias" ? { model: "some-model-latest" } : requestFor(body.pattern);
  if (request === null) return { rule: rule.id, status: "not_shown", others: [], shown: null };
  const others = alsoBlocking(request, rule, rules);
  const verdict = guard.checkRequest({ provider, request });
  const isFloating = body.kind === "floating_alias";
  const code = isFloating ? "floating_alias" : "provider_warning";
  const isWarned = (pattern: string | undefined) => isFloating || pattern === body.pattern;
  const said =
    verdict.kind === "block"
      ? verdict.reason
      : verdict.warnings.find((warning) => warning.code === code && isWarned(warning.pattern))?.code;
  const isMatched = isFloating || requestPattern(body.pattern).matched(request) !== null;
  if (said === undefined || !isMatched) return { rule: rule.id, status: "not_shown", others: [], shown: null };
  const shown: ModelWitness = { provider, request, response: null, said };
  return { rule: rule.id, status: others.length === 0 ? "fires" : "never_alone", others, shown };
}

/** A response that breaks one demand of a tool and meets its others. */
function responseFor({ tool, demand }: OfResponse, finish: string): JsonObject {
  const isCalled = demand.field !== "tool_calls_present";
  const call = { id: "call_1", type: "function", function: { name: tool, arguments: "{}" } };
  const message = {
    role: "assistant",
    content: demand.field === "content_when_tool_calls" ? "text" : null,
    ...(isCalled ? { tool_calls: [call] } : {}),
  };
  const other = finish === "length" ? "stop" : "length";
  return { choices: [{ index: 0, message, finish_reason: demand.field === "finish_reason" ? other : finish }] };
}

function tryResponse(
  { id }: ModelRule,
  body: OfResponse,
  { guard, rules }: { readonly guard: Guard; readonly rules: readonly PackRule[] },
): ModelRuleResult {
  const demands = rules.flatMap((rule) =>
    rule.body.kind === "response_format" && rule.body.tool === body.tool ? [rule.body.demand] : [],
  );
  const finish = demands.find((demand) => demand.field === "finish_reason");
  const request = { tool_choice: { type: "function", function: { name: body.tool } } };
  const response = responseFor(body, finish?.field === "finish_reason" ? finish.value : "tool_calls");
  const verdict = guard.checkResponse({ provider: "openai", response, request });
  if (verdict.kind !== "block" || verdict.field !== body.demand.field || verdict.tool !== body.tool) {
    return { rule: id, status: "not_shown", others: [], shown: null };
  }
  return {
    rule: id,
    status: "fires",
    others: [],
    shown: { provider: "openai", request, response, said: verdict.reason },
  };
}

/** Shows what a rule on requests or responses stops, by a body that the guard judges; no session is needed. */
export function modelRuleResult(
  rule: ModelRule,
  context: { readonly guard: Guard; readonly rules: readonly PackRule[] },
): ModelRuleResult {
  const { body } = rule;
  return body.kind === "response_format" ? tryResponse(rule, body, context) : tryRequest(rule, body, context);
}
