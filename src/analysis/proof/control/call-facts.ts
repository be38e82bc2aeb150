import type {
  CheckOf,
  CompiledAggregate,
  CompiledCheck,
  CompiledPack,
  CompiledTool,
} from "../../../artifact/compiled.js";
import type { CompiledOperator } from "../../../artifact/compiled-value.js";
import { referencesOf } from "../../../guard/checks/envelope.js";
import { checksOf } from "../../model/checks-of.js";
import type { Entry } from "../../values/path-values.js";
import { isJudgedEverywhere, isShut, writtenBy } from "../callable.js";
import { impossiblePlace, numbersAt } from "../impossible-values.js";
import { neededSlots } from "./needed-slots.js";

const NUMBER: readonly CompiledOperator[] = [{ op: "type", value: "number" }];

/** Calls of a tool whose arguments satisfy further entries. */
export interface CallKind {
  readonly tool: CompiledTool;
  readonly further: readonly Entry[];
}

/** What must have happened before: a call of one of the tools, committed or at least allowed. */
export interface Need {
  readonly isCommitted: boolean;
  readonly tools: readonly string[];
  /** What is needed, in words between the name of the tool and those tools. */
  readonly words: string;
}

/** What rules on session values say of the arguments of each call that they allow. */
function implied({ tool }: CallKind, { aggregates, envelopes }: CompiledPack): readonly Entry[] {
  const summed = checksOf(tool.checks, "aggregate").flatMap(({ index }): readonly Entry[] => {
    const { tools = null, path = null, metric = "count" } = aggregates[index] ?? {};
    const isNumeric = metric === "sum" || metric === "max" || metric === "min";
    return tools === null || path === null || !isNumeric ? [] : [{ path, operators: NUMBER }];
  });
  const staged = checksOf(tool.checks, "envelope").flatMap(({ index }) =>
    (envelopes[index]?.stages ?? [])
      .filter((stage) => stage.tool === tool.name && stage.role === "constrained" && stage.source === "arguments")
      .map(({ path }) => ({ path, operators: NUMBER })),
  );
  return [...summed, ...staged];
}

/** The least and the most that a call which is allowed adds to an aggregate. */
export function addedBy({ tool, further }: CallKind, { metric, path, tools }: CompiledAggregate) {
  if (metric === "count") return { low: 1, high: 1 };
  const isOne = path?.kind === "definite";
  // Of the tools that are not named, a call without the path adds nothing.
  if (path === null || tools === null || metric === "count_distinct")
    return { low: metric === "sum" ? Number.NEGATIVE_INFINITY : 0, high: isOne ? 1 : Number.POSITIVE_INFINITY };
  const { low, high } = numbersAt(tool, path, further);
  if (isOne) return { low, high };
  return metric === "sum" && low < 0
    ? { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY }
    : { low, high: Number.POSITIVE_INFINITY };
}

/** The widest bounds that may be in force; null where there may be none. */
export function widest({ gte, lte, when }: CompiledAggregate) {
  const highs = [lte, ...when.map((override) => override.then_lte ?? lte)];
  const lows = [gte, ...when.map((override) => override.then_gte ?? gte)];
  return {
    lte: highs.some((bound) => bound === null) ? null : Math.max(...highs.map(Number)),
    gte: lows.some((bound) => bound === null) ? null : Math.min(...lows.map(Number)),
  };
}

/** Whether a bound on single values keeps every call of a kind from being allowed. */
function isOutside(kind: CallKind, aggregate: CompiledAggregate): boolean {
  const { metric, tools, path } = aggregate;
  if (tools === null || path?.kind !== "definite") return false;
  const { low, high } = addedBy(kind, aggregate);
  const { gte, lte } = widest(aggregate);
  if (metric === "max") return lte !== null && low > lte;
  return metric === "min" && gte !== null && high < gte;
}

/** The number of steps that the earlier calls which a call needs take at least, with its own: priors are from earlier steps. */
function stepsOf(tool: CompiledTool, tools: readonly CompiledTool[], known = new Map<string, number>()): number {
  const before = known.get(tool.name);
  if (before !== undefined) return before;
  // A call that needs itself first is never allowed.
  known.set(tool.name, Number.POSITIVE_INFINITY);
  const priors = checksOf(tool.checks, "precondition").map(({ prior }) => {
    const needed = tools.find(({ name }) => name === prior?.tool);
    return needed === undefined ? 0 : stepsOf(needed, tools, known);
  });
  const steps = 1 + Math.max(0, ...priors);
  known.set(tool.name, steps);
  return steps;
}

/** Whether no call of a kind is allowed in any session. */
export function isNever(kind: CallKind, pack: CompiledPack): boolean {
  const { tool, further } = kind;
  const refuses = (check: CompiledCheck) => {
    if (check.kind === "policy") return false;
    if (check.kind === "max_steps") return stepsOf(tool, pack.tools) > check.max;
    const aggregate = check.kind === "aggregate" ? pack.aggregates[check.index] : undefined;
    return (aggregate !== undefined && isOutside(kind, aggregate)) || isShut(check, pack);
  };
  return tool.checks.some(refuses) || impossiblePlace(tool, [...further, ...implied(kind, pack)]) !== null;
}

/** The tools of which the first call that counts may reach a lower bound alone; null if any may. */
function openersOf(index: number, pack: CompiledPack): readonly string[] | null {
  const aggregate = pack.aggregates[index];
  if (aggregate === undefined || !isJudgedEverywhere(index, pack)) return null;
  const { metric, tools: named, path } = aggregate;
  const { gte } = widest(aggregate);
  if (gte === null || metric === "min" || (metric !== "count" && (named === null || path?.kind !== "definite")))
    return null;
  const counted = pack.tools.filter(({ name }) => named === null || named.includes(name));
  return counted.filter((tool) => addedBy({ tool, further: [] }, aggregate).high >= gte).map(({ name }) => name);
}

const EARLIER = { words: "needs an earlier call of" };
const REFERENCE = { words: "needs the reference of an envelope, set only by" };
const OPENING = { words: "adds too little to be the first call that an aggregate counts, unlike" };

/** What calls of a kind need. */
export function needsOf(kind: CallKind, pack: CompiledPack): readonly Need[] {
  const { tool } = kind;
  const binders = (slot: string) =>
    pack.tools.filter(({ binds }) => binds.some((bind) => bind.slot === slot)).map(({ name }) => name);
  const ofSlot = (slot: string) =>
    ({ isCommitted: true, tools: binders(slot), words: `needs the slot \`${slot}\`, bound only by` }) as const;
  const read = neededSlots(tool, pack).map(ofSlot);
  const needed = tool.checks.flatMap((check): readonly Need[] => {
    switch (check.kind) {
      case "precondition":
        return check.prior === null ? [] : [{ isCommitted: true, tools: [check.prior.tool], ...EARLIER }];
      case "ref":
        return [ofSlot(check.slot)];
      case "envelope":
        return settersFor(tool, check, pack).map((tools) => ({ isCommitted: true, tools, ...REFERENCE }));
      case "aggregate":
        return openingNeed(kind, check, pack);
      default:
        return [];
    }
  });
  return [...read, ...needed];
}

function openingNeed(kind: CallKind, { index }: CheckOf<"aggregate">, pack: CompiledPack): readonly Need[] {
  const aggregate = pack.aggregates[index];
  const openers = openersOf(index, pack);
  const gte = aggregate === undefined ? null : widest(aggregate).gte;
  if (aggregate === undefined || openers === null || gte === null) return [];
  return addedBy(kind, aggregate).high >= gte ? [] : [{ isCommitted: false, tools: openers, ...OPENING }];
}

/** For each reference that a call is compared with, the tools that set it. */
function settersFor(
  tool: CompiledTool,
  { index }: CheckOf<"envelope">,
  { envelopes }: CompiledPack,
): readonly (readonly string[])[] {
  const envelope = envelopes[index];
  const isJudged = envelope?.stages.some(
    (stage) => stage.tool === tool.name && stage.role === "constrained" && stage.source === "arguments",
  );
  if (envelope === undefined || isJudged !== true) return [];
  return referencesOf(envelope.constraint).map((name) =>
    envelope.stages.filter((stage) => writtenBy(envelope, stage) === name).map((stage) => stage.tool),
  );
}

/** Whether a call of a tool is refused while one of another tool is open, because its output is not known yet. */
export function awaits(tool: CompiledTool, other: CompiledTool, { envelopes }: CompiledPack): boolean {
  if (other.commits === "at_dispatch") return false;
  return tool.checks.some((check) => {
    switch (check.kind) {
      case "forbidden_by":
        return check.tools.some((entry) => entry.tool === other.name);
      case "ref":
        return other.binds.some(({ slot, source }) => slot === check.slot && source === "output");
      case "precondition":
        return check.prior?.tool === other.name && check.prior.resource === null && check.prior.with_output.length > 0;
      case "envelope":
        return setsFromOutput(tool, other, envelopes[check.index]);
      default:
        return false;
    }
  });
}

function setsFromOutput(
  tool: CompiledTool,
  other: CompiledTool,
  envelope: CompiledPack["envelopes"][number] | undefined,
): boolean {
  const isJudged = envelope?.stages.some(
    (stage) => stage.tool === tool.name && stage.role === "constrained" && stage.source === "arguments",
  );
  if (envelope === undefined || isJudged !== true) return false;
  const read = referencesOf(envelope.constraint);
  return read.some((name) => {
    const stages = envelope.stages.filter((stage) => stage.tool === other.name && writtenBy(envelope, stage) === name);
    // What a call writes more than once to a place is not known here.
    return stages.length === 1 && stages.every(({ source }) => source === "output");
  });
}
