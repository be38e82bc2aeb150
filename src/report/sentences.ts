import type { CheckOf } from "../artifact/compiled.js";
import { becauseOf, type PackRule, type RuleBody, type RuleKind } from "../artifact/pack-rules.js";
import { type PatternTerm, parseProviderPattern } from "../base/provider-pattern.js";
import { amount, listed } from "../base/wording.js";
import { TYPE_WORDS } from "../operators/type.js";
import {
  closingFeature,
  counted,
  duration,
  duty,
  fact,
  feature,
  named,
  ordinal,
  percent,
  stop,
  valuesAt,
} from "./sentence-words.js";
import { aggregateSentence, envelopeSentence } from "./session-value-sentences.js";

type BodyOf = { readonly [K in RuleKind]: Extract<RuleBody, { readonly kind: K }> };
type PolicyEntry = BodyOf["policy_deny"]["entry"];

const WITHHELD = "otherwise the result is withheld, though the call counts";

function callers({ principal }: PolicyEntry, words: typeof feature): string {
  return principal.length === 0 ? "every caller" : `callers with ${listed(principal.map(words), "and")}`;
}

/** Of several entries each has its own reason. */
function allowSentence({ entries }: BodyOf["policy_allow"]): string {
  const texts = entries.map((entry) => {
    const isOneOfSeveral = entries.length > 1 && entry.because !== undefined;
    return `${callers(entry, feature)}${isOneOfSeveral ? ` (${entry.because})` : ""}`;
  });
  return `Allowed only for ${texts.join("; or for ")}`;
}

/** The argument at a path, at the beginning of a sentence. */
function argumentAt({ kind, text }: BodyOf["ref"]["path"]): string {
  return kind === "definite" ? `The argument ${text}` : `Each argument ${text}`;
}

function argumentDuty({ path, operators }: Pick<BodyOf["input_invariant"], "path" | "operators">): string {
  return `${argumentAt(path)} must ${duty(operators)}`;
}

function phaseSentence({ phases, advances_to: next }: CheckOf<"phase">): string {
  const where = `${phases.length === 1 ? "phase" : "phases"} ${listed(phases.map(named), "and")}`;
  return `May be called only in the ${where}${next === null ? "" : `, and leads to ${named(next)}`}`;
}

function preconditionSentence({ prior, step_count: steps }: CheckOf<"precondition">): string {
  const needs: string[] = [];
  if (prior !== null) {
    const same = prior.resource === null ? "" : ` for the same ${prior.resource.text}`;
    const answered =
      prior.with_output.length === 0
        ? ""
        : ` that answered with ${listed(prior.with_output.map(feature), "and")} (the latest such call decides)`;
    needs.push(`an earlier call of ${named(prior.tool)}${same}${answered}`);
  }
  if (steps !== null) needs.push(`at least ${counted(steps, "completed step")}`);
  return `Needs ${listed(needs, "and")}`;
}

function schemaSentence({ schema }: CheckOf<"schema">): string {
  const tests = typeof schema.root === "boolean" ? [] : schema.root;
  const required = tests.flatMap((test) => (test.kind === "required" ? test.names : []));
  const needs = required.length === 0 ? "" : `, with ${listed(required.map(named), "and")} given`;
  const isClosed = tests.some((test) => test.kind === "additional_properties" && test.node === false);
  return `The arguments must fit the tool's definition${needs}${isClosed ? ", and no argument that it does not name" : ""}`;
}

function derivedSentence({ path, operator, optional, passes }: CheckOf<"derived_invariant">): string {
  const others =
    passes.length === 0
      ? ""
      : ` or be ${listed(
          passes.map((type) => TYPE_WORDS[type]),
          "or",
        )}`;
  return `${argumentDuty({ path, operators: [operator] })}${others}${optional ? " where it is given" : ""} (by the tool's definition)`;
}

/** An expression as it was written, on one line. */
function written({ text }: CheckOf<"requires">["that"]): string {
  return `\`${text.trim().replace(/\s+/g, " ")}\``;
}

function conditionWords(condition: NonNullable<CheckOf<"checkpoint">["when"]>[number]): string {
  return "that" in condition ? written(condition.that) : fact(condition);
}

function requirementSentence({ reason, that }: Pick<CheckOf<"requires">, "reason" | "that">): string {
  return `${stop(reason)} Required: ${written(that)}`;
}

function checkpointSentence({ name, when, match, ...rest }: CheckOf<"checkpoint">): string {
  const conditions = when === null ? null : listed(when.map(conditionWords), match === "any" ? "or" : "and");
  const silence = rest.on_timeout === "deny" ? "no" : "yes";
  const title = name === null ? "" : ` (${named(name)})`;
  const calls = conditions === null ? "every call" : `when ${conditions}`;
  return `A person must approve${title} ${calls} (within ${duration(rest.timeout_seconds)}; silence means ${silence})`;
}

/** A term of a pattern as a clause. */
function termWords(term: PatternTerm): string {
  if (term.kind === "value") return `${named(term.path.join("."))} is ${named(term.word)}`;
  return /[-0-9]/.test(term.text) ? `the model is ${named(term.text)}` : `${named(term.text)} is set`;
}

function requestsWith({ provider, pattern }: BodyOf["provider_block" | "provider_warn"]): string {
  const parsed = parseProviderPattern(pattern);
  const terms = parsed.ok ? parsed.terms.map(termWords) : [named(pattern)];
  return `Requests to ${named(provider)} in which ${listed(terms, "and")}`;
}

function responseDemand({ tool, demand }: BodyOf["response_format"]): string {
  switch (demand.field) {
    case "finish_reason":
      return `A model's response that calls ${named(tool)}, or was asked to, must end with the finish reason ${named(demand.value)}`;
    case "content_when_tool_calls":
      return `A model's response that calls ${named(tool)}, or was asked to, must have no text besides its calls`;
    case "tool_calls_present":
      return `A model's response that was asked to call ${named(tool)} must have a call`;
  }
}

function captureSentence({ path, decode, as, each }: CheckOf<"capture">): string {
  if (each !== undefined && each.length > 0) {
    const keys = each.map(({ text }) => `@${text.slice(1)}`);
    return `Each value of the argument ${path.text} must have ${listed(keys, "and")}, because it is remembered under that key`;
  }
  if (as === "key")
    return `The argument ${path.text} must be a text, a number, true or false: something is remembered under it`;
  if (decode !== undefined) return `The argument ${path.text} must be JSON, because other rules rely on it`;
  return `The argument ${path.text} must be given, because other rules rely on it`;
}

const SENTENCES: { readonly [K in RuleKind]: (body: BodyOf[K]) => string } = {
  gate: ({ source }) =>
    source === "gate"
      ? "Every call is refused: the contract of the tool blocks it"
      : "Every call is refused: the session blocks all tools with this side effect",
  policy_deny: ({ entry }) => `Refused for ${callers(entry, closingFeature)}`,
  policy_allow: allowSentence,
  default_deny: () => "Refused for every caller: nothing in the policy allows it, and what is not allowed is denied",
  label_gate: ({ label, reason }) => `Refused once the session carries the label ${named(label)}: ${reason}`,
  phase: phaseSentence,
  forbidden_by: ({ tool }) => `Never after ${named(tool)} has been called`,
  precondition: preconditionSentence,
  max_steps: ({ max }) => `A session has at most ${counted(max, "step")}`,
  max_tool_calls: ({ max }) => `A session has at most ${counted(max, "call")} in all`,
  max_calls_per_tool: ({ max }) => `May be called at most ${counted(max, "time")} in a session`,
  max_calls_per_step: ({ max }) => `A step has at most ${counted(max, "call")}`,
  max_cost: ({ max }) => `Refused once the session has cost ${amount(max)} USD`,
  loop_detection: ({ window, threshold }) =>
    `The same call with the same arguments is refused the ${ordinal(threshold)} time within ${counted(window, "call")}`,
  schema: schemaSentence,
  input_invariant: argumentDuty,
  execution_constraint: argumentDuty,
  argument_invariant: argumentDuty,
  derived_invariant: derivedSentence,
  ref: ({ path, slot, tolerance }) =>
    `${argumentAt(path)} must equal the remembered ${named(slot)}${tolerance === null ? "" : ` to within ${percent(tolerance)}`}`,
  capture: captureSentence,
  requires: requirementSentence,
  ensures: ({ requirement }) => `${requirementSentence(requirement)}; ${WITHHELD}`,
  aggregate: ({ aggregate }) => aggregateSentence(aggregate),
  envelope: ({ envelope }) => envelopeSentence(envelope),
  checkpoint: checkpointSentence,
  output_invariant: ({ invariant: { path, operators } }) =>
    `In the result ${valuesAt(path)} must ${duty(operators)}; ${WITHHELD}`,
  output_stage: ({ envelope, stage }) => `${stop(envelopeSentence(envelope, stage))} ${stop(capital(WITHHELD))}`,
  circuit_breaker: ({ of, most }) =>
    `${counted(most, of === "blocks" ? "refused call" : "unexpected error")} ${most === 1 ? "ends" : "in a row end"} the session`,
  provider_block: (body) => `${requestsWith(body)} are not sent`,
  provider_warn: (body) => `${requestsWith(body)} are sent with a warning`,
  floating_alias: ({ provider }) =>
    `Requests to ${named(provider)} that name a model without a date are sent with a warning`,
  response_format: (body) => `${responseDemand(body)}; otherwise none of its calls is made`,
};

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Keeps kind and body together, so that each body gets the sentence of its own kind. */
function say<K extends RuleKind>(kind: K, body: BodyOf[K]): string {
  return SENTENCES[kind](body);
}

/** A rule in one plain sentence, after the words of the policy; names that users chose are in backticks, paths are not. */
export function sentenceOf({ body }: PackRule): string {
  const sentence = stop(say(body.kind, body));
  const because = becauseOf(body);
  // Rules of session.yaml that always had a reason end with it.
  return because === null || sentence.includes(because) ? sentence : `${stop(because)} ${sentence}`;
}
