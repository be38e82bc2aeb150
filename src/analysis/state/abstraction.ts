import type {
  CheckOf,
  CompiledAggregate,
  CompiledCheck,
  CompiledEnvelope,
  CompiledTool,
} from "../../artifact/compiled.js";
import { canonicalJson } from "../../base/canonical-json.js";
import { sumNumber } from "../../base/exact-sum.js";
import { referencesOf } from "../../guard/checks/envelope.js";
import { present } from "../../guard/decide/worlds.js";
import type { Program, Tool } from "../../guard/program/program.js";
import type { ReferenceName, Watch } from "../../guard/program/tool-effects.js";
import { type AggregateState, countsStepCalls, type Session } from "../../guard/session/session.js";
import { repeatedPaths } from "../calls/earlier-values.js";
import { checksOf, watchOf } from "../model/checks-of.js";
import { aggregateText, momentText, priorText, type Text, valueText } from "./session-text.js";
import { type Counter, type Parts, slotParts } from "./slot-parts.js";

export type { Counter } from "./slot-parts.js";

/** An abstract state: sessions with equal keys differ only in their counters. */
export interface Abstract {
  readonly key: string;
  /** Of two states with one key, the one with no larger counter subsumes the other. */
  readonly counters: readonly number[];
}

function allChecks({ pack }: Program): readonly CompiledCheck[] {
  return pack.tools.flatMap(({ checks }) => checks);
}

function valueIn({ metric }: CompiledAggregate, state: AggregateState): number {
  if (metric === "sum" || metric === "count") return sumNumber(state.total);
  return metric === "count_distinct" ? state.distinct.size : (state.extreme ?? 0);
}

/** The value of an aggregate; 0 if it has none. With `per` the largest of its values: a search pursues one of them. */
export function aggregateValue(aggregate: CompiledAggregate, index: number): Counter {
  return ({ aggregates }) => {
    const state = aggregates[index];
    if (state === undefined) return 0;
    if (state.parts === null) return valueIn(aggregate, state);
    return Math.max(0, ...Array.from(state.parts.values(), (part) => valueIn(aggregate, part.state)));
  };
}

/** With an upper bound less is better, with a lower bound more; with both only equal values compare. */
function aggregateCounters(aggregate: CompiledAggregate, index: number): readonly Counter[] {
  const value = aggregateValue(aggregate, index);
  const hasUpper = aggregate.lte !== null || aggregate.when.some(({ then_lte: lte }) => lte !== null);
  const hasLower = aggregate.gte !== null || aggregate.when.some(({ then_gte: gte }) => gte !== null);
  const less: Counter = (session) => -value(session);
  return [...(hasUpper ? [value] : []), ...(hasLower ? [less] : [])];
}

/** The counts of session limits, which every call increases. */
function limitCounters(program: Program): readonly Counter[] {
  const counters: Counter[] = [];
  if (checksOf(allChecks(program), "max_tool_calls").length > 0) counters.push(({ toolCalls }) => toolCalls);
  if (checksOf(allChecks(program), "max_steps").length > 0) counters.push(({ ownSteps }) => ownSteps);
  if (countsStepCalls(program)) counters.push(({ stepCalls }) => stepCalls ?? 0);
  return counters;
}

/** The counts of other rules. */
export function ruleCounters(program: Program): readonly Counter[] {
  const counters: Counter[] = [];
  const most = Math.max(0, ...checksOf(allChecks(program), "precondition").map(({ step_count: least }) => least ?? 0));
  if (most > 0) counters.push(({ sureOwnSteps }) => -Math.min(sureOwnSteps, most));
  for (const { name, isCounted, compiled } of program.tools.values()) {
    if (!isCounted) continue;
    const isLimited = compiled?.checks.some(({ kind }) => kind === "max_calls_per_tool") ?? false;
    // After the first call that forbids a tool, further ones change nothing.
    const counts = isLimited ? Number.POSITIVE_INFINITY : 1;
    counters.push(({ callsOf }) => Math.min(counts, callsOf.get(name) ?? 0));
  }
  program.aggregates.forEach((aggregate, index) => {
    // What is counted apart is compared as a whole.
    if (aggregate.per === undefined) counters.push(...aggregateCounters(aggregate, index));
  });
  return counters;
}

/** Whether forbidding calls were made: the forbidden tools cannot raise the pursued count any more. */
function forbiddingCounters(program: Program): readonly Counter[] {
  const checks = checksOf(allChecks(program), "forbidden_by");
  const names = new Set(checks.flatMap(({ tools }) => tools.map(({ tool }) => tool)));
  return [...names].map(
    (name): Counter =>
      ({ callsOf }) =>
        callsOf.has(name) ? 1 : 0,
  );
}

/** Minus the number of entities with a satisfying earlier call. */
function satisfied({ index }: Watch): Counter {
  return ({ priors }) => {
    let count = 0;
    for (const calls of priors[index]?.values() ?? []) if (calls.at(-1)?.satisfies === true) count -= 1;
    return count;
  };
}

/** The direction in which a reference widens its envelope; null for a band around an anchor, which never widens. */
function width({ constraint }: CompiledEnvelope, name: ReferenceName): 1 | -1 | null {
  if (name === "ceiling" || (name === "last" && constraint === "monotonic_decrease")) return -1;
  return name === "floor" || name === "last" ? 1 : null;
}

function widths(envelope: CompiledEnvelope, index: number): readonly Counter[] {
  return referencesOf(envelope.constraint).flatMap((name) => {
    const sign = width(envelope, name);
    if (sign === null) return [];
    return ({ references }: Session) => {
      const value = present(references[index]?.get(name));
      return typeof value === "number" ? sign * value : Number.POSITIVE_INFINITY;
    };
  });
}

/** Earlier calls: exact for preconditions of the tool in focus, counted for those of other tools. */
function priorParts(program: Program, focus: Tool | null): Parts {
  const tools = program.pack.tools.filter(({ name }) => focus === null || name === focus.name);
  const priors = tools.flatMap(({ checks }) => checksOf(checks, "precondition").flatMap(({ prior }) => prior ?? []));
  const own = new Set(priors.map((prior) => watchOf(program, prior)));
  return {
    texts: program.watches.filter((watch) => own.has(watch)).map(priorText),
    counters: program.watches.filter((watch) => !own.has(watch)).map(satisfied),
  };
}

/** Which calls that forbid the tool in focus were made: the rule refuses only in the state with fewer options. */
function forbiddenParts({ tools }: Program, focus: Tool | null): Parts {
  const checks = focus?.compiled?.checks ?? [];
  const names = checks.flatMap((check) => (check.kind === "forbidden_by" ? check.tools.map(({ tool }) => tool) : []));
  const own = names.filter((name) => tools.has(name));
  return {
    texts: own.map(
      (name): Text =>
        ({ callsOf }) =>
          callsOf.has(name) ? "+" : "-",
    ),
    counters: [],
  };
}

function envelopeParts({ envelopes }: Program, focus: Tool | null): Parts {
  const isOwn = (index: number) => focus === null || focus.stages.some(({ envelope }) => envelope === index);
  const texts: Text[] = [];
  const counters: Counter[] = [];
  envelopes.forEach((envelope, index) => {
    const directed = isOwn(index) ? [] : widths(envelope, index);
    counters.push(...directed);
    if (directed.length > 0) return;
    for (const name of referencesOf(envelope.constraint)) {
      texts.push(({ references }) => valueText(references[index]?.get(name)));
    }
  });
  return { texts, counters };
}

/** The distinct values that were counted, if some calls cannot choose theirs freely. */
function distinctTexts({ pack, aggregates }: Program): readonly Text[] {
  return aggregates.flatMap(({ metric, path, per, tools: named }, index) => {
    if (per !== undefined) return [];
    const counted = pack.tools.filter(({ name }) => named?.includes(name) !== false);
    const isRuled = ({ checks }: CompiledTool) =>
      checks.some((check) => "path" in check && check.path.text === path?.text);
    const isFree = counted.every((tool) => !isRuled(tool) && !repeatedPaths(tool).includes(path?.text));
    if (metric !== "count_distinct" || isFree) return [];
    return [({ aggregates: states }: Session) => [...(states[index]?.distinct.keys() ?? [])].sort().join(",")];
  });
}

/** The calls that loop detection would refuse if repeated now. */
function exhausted({ recent }: Session, threshold: number): readonly string[] {
  if (recent.length < threshold - 1) return [];
  const counts = new Map<string, number>();
  for (const call of recent) counts.set(call, (counts.get(call) ?? 0) + 1);
  return [...counts].filter(([, count]) => count + 1 >= threshold).map(([call]) => call);
}

/** The number of other calls needed until loop detection refuses none of these. */
function waitingTime(session: Session, { window, threshold }: CheckOf<"loop_detection">): number {
  let longest = 0;
  const { recent } = session;
  for (const call of exhausted(session, threshold)) {
    const places = recent.flatMap((other, at) => (other === call ? [at] : []));
    const leaving = places[places.length - threshold + 1] ?? 0;
    longest = Math.max(longest, leaving + 1 + (window - 1 - recent.length));
  }
  return longest;
}

/**
 * Reduces sessions of a program to what matters to its rules. Values that the rules of the tool in focus compare are kept
 * exactly; values that only other tools compare become counters, of which less is better.
 */
export class Abstraction {
  private readonly counters: readonly Counter[];
  private readonly texts: readonly Text[];

  /** With a pursued counter, more of it is better, and other limits are ignored. */
  constructor(program: Program, focus: Tool | null, pursued: Counter | null = null) {
    const parts = [slotParts, priorParts, forbiddenParts, envelopeParts].map((partsOf) => partsOf(program, focus));
    const { consecutive_errors: errors } = program.pack.circuit_breaker;
    const [loop] = checksOf(allChecks(program), "loop_detection");
    this.counters = [
      ...(pursued === null
        ? [...limitCounters(program), ...ruleCounters(program)]
        : [(session: Session) => -pursued(session), ...forbiddingCounters(program)]),
      ...parts.flatMap(({ counters }) => counters),
      ...(errors === null ? [] : [({ errorsInRow }: Session) => errorsInRow]),
      ...(loop === undefined ? [] : [(session: Session) => waitingTime(session, loop)]),
    ];
    // A maximum without a value cannot be compared with one that has a value.
    const extremes = program.aggregates.flatMap(({ metric }, index) =>
      metric === "max" || metric === "min" ? [index] : [],
    );
    this.texts = [
      ({ phase, isKilled }) => `${phase}${isKilled ? " killed" : ""}`,
      momentText,
      ({ unsettled }) =>
        unsettled.size === 0 ? "" : canonicalJson(Array.from(unsettled, ({ tool, args }) => [tool.name, args])),
      ...parts.flatMap(({ texts }) => texts),
      ...(focus === null ? [] : distinctTexts(program)),
      ...program.aggregates.flatMap(({ per }, index) => (per === undefined ? [] : [aggregateText(index)])),
      ...extremes.map(
        (index): Text =>
          ({ aggregates }) =>
            aggregates[index]?.extreme === null ? "-" : "+",
      ),
      ...(loop === undefined ? [] : [(session: Session) => [...exhausted(session, loop.threshold)].sort().join(",")]),
    ];
  }

  of(session: Session): Abstract {
    return { key: this.keyOf(session), counters: this.counters.map((counter) => counter(session)) };
  }

  keyOf(session: Session): string {
    let key = "";
    for (const text of this.texts) key += `${text(session)}\u0000`;
    return key;
  }
}

/** Whether a state with the first counters can do whatever one with the others can: none of them is larger. */
export function subsumes(one: readonly number[], other: readonly number[]): boolean {
  return one.every((value, at) => value <= (other[at] ?? 0));
}
