import { type CheckOf, type CompiledAggregate, type CompiledCheck, pathConditions } from "../../artifact/compiled.js";
import type { Json } from "../../base/json.js";
import { keeps, referencesOf } from "../../guard/checks/envelope.js";
import { present } from "../../guard/decide/worlds.js";
import type { Program } from "../../guard/program/program.js";
import type { ReferenceName } from "../../guard/program/tool-effects.js";
import { perValue } from "../../guard/session/aggregate-parts.js";
import { UNKNOWN } from "../../guard/session/call.js";
import { readAll } from "../../guard/values/read-path.js";
import { operatorsOf } from "../calls/earlier-values.js";
import { added, all, any, constantOf, type Formula, not } from "../linear/formula.js";
import { exactly } from "../linear/fraction.js";
import { proposalIn } from "../state/clock.js";
import type { MarkedCall } from "./calls.js";
import { atMost, type Conditions, isNear } from "./conditions.js";
import { expressionCondition } from "./expression-condition.js";

/** What the rules ask of the numbers in a sequence of calls. */
export class CallConditions {
  constructor(
    private readonly program: Program,
    private readonly calls: readonly MarkedCall[],
    private readonly conditions: Conditions,
  ) {}

  /** What one check asks of a call; what does not hang on numbers is judged by the guard. */
  check(at: number, index: number): Formula {
    const call = this.calls[at];
    const check = call?.tool.compiled?.checks[index];
    if (call === undefined || check === undefined) return true;
    return this.linear(check, call, at) ?? this.asBefore(call, index);
  }

  private asBefore({ tool, args, before }: MarkedCall, index: number): boolean {
    const proposal = proposalIn(before, tool, args);
    return tool.checks[index]?.run(proposal, before, this.program) === null;
  }

  /** Null for checks that read no numbers of calls. */
  private linear(check: CompiledCheck, call: MarkedCall, at: number): Formula | null {
    const { conditions } = this;
    switch (check.kind) {
      case "input_invariant":
      case "execution_constraint":
      case "argument_invariant":
      case "derived_invariant": {
        const values = readAll(check.path, call.marked);
        if (!values.some((value) => conditions.numbers.hasMark(value))) return null;
        if (check.kind === "derived_invariant" && check.passes.includes("number")) return true;
        return conditions.allAccepted(operatorsOf(check), values);
      }
      case "schema":
        return conditions.schema(check.schema.root, call.marked, check.schema.defs);
      case "ref":
        return this.repeated(check, call);
      case "envelope":
        return this.enveloped(check.index, call, "arguments");
      case "aggregate":
        return this.aggregated(check.index, at);
      case "requires":
        return expressionCondition(this.program, check.that, call, conditions);
      default:
        return null;
    }
  }

  private repeated({ path, slot, tolerance }: CheckOf<"ref">, { marked, markedBefore }: MarkedCall): Formula {
    const bound = present(markedBefore.slots.get(slot));
    const values = readAll(path, marked);
    if (bound === undefined || bound === UNKNOWN || values.length === 0) return false;
    return all(values.map((value) => this.conditions.agrees(value, bound, tolerance)));
  }

  private enveloped(
    index: number,
    { tool, marked, markedOutput, markedBefore }: MarkedCall,
    source: "arguments" | "output",
  ): Formula {
    const envelope = this.program.envelopes[index];
    if (envelope === undefined) return true;
    const stages = tool.stages.filter(
      ({ envelope: of, stage }) => of === index && stage.role === "constrained" && stage.source === source,
    );
    return all(
      stages.flatMap(({ stage }) => {
        const values = readAll(stage.path, source === "output" ? markedOutput : marked);
        return referencesOf(envelope.constraint).map((name) => {
          const reference = present(markedBefore.references[index]?.get(name));
          if (reference === undefined || reference === UNKNOWN || values.length === 0) return false;
          return all(values.map((value) => this.kept(index, name, value, reference)));
        });
      }),
    );
  }

  private kept(index: number, name: ReferenceName, value: Json, reference: Json): Formula {
    const envelope = this.program.envelopes[index];
    if (envelope === undefined || typeof value !== "number" || typeof reference !== "number") return false;
    const { numbers } = this.conditions;
    const [own, other] = [numbers.sumOf(value), numbers.sumOf(reference)];
    if (own.terms.size + other.terms.size === 0) return keeps(envelope, name, value, reference);
    if (name === "anchor") return isNear(own, other, envelope.band ?? 0);
    const isUpper = name === "ceiling" || (name === "last" && envelope.constraint === "monotonic_decrease");
    return isUpper ? atMost(own, other) : atMost(other, own);
  }

  /** A sum, a maximum or a minimum with the calls before; null for what counts calls. */
  private aggregated(index: number, at: number): Formula | null {
    const { program } = this;
    const aggregate = program.aggregates[index];
    const last = this.calls[at];
    if (aggregate === undefined || last === undefined || aggregate.path === null) return null;
    const { metric, path } = aggregate;
    if (metric === "count" || metric === "count_distinct") return null;
    const isCounted = ({ tool, args }: MarkedCall) =>
      tool.aggregates.includes(index) &&
      (aggregate.per === undefined || perValue(aggregate, args) === perValue(aggregate, last.args));
    const counted = this.calls.slice(0, at + 1).filter(isCounted);
    const values = counted.flatMap(({ marked }) => readAll(path, marked));
    if (readAll(path, last.marked).length === 0) return null;
    const numbers = values.filter((value) => typeof value === "number");
    if (numbers.length < values.length) return false;
    const sums = numbers.map((value) => this.conditions.numbers.sumOf(value));
    const compared = metric === "sum" ? [sums.reduce(added, constantOf(exactly(0)))] : sums;
    const bounded = ({ gte, lte }: { readonly gte: number | null; readonly lte: number | null }) => {
      const above = gte === null ? [] : compared.map((sum) => atMost(constantOf(exactly(gte)), sum));
      const below = lte === null ? [] : compared.map((sum) => atMost(sum, constantOf(exactly(lte))));
      return all([
        metric === "max" ? any(above.length === 0 ? [true] : above) : all(above),
        metric === "min" ? any(below.length === 0 ? [true] : below) : all(below),
      ]);
    };
    return this.overridden(aggregate, last, bounded);
  }

  /** The bounds of the first condition that holds. */
  private overridden(
    aggregate: CompiledAggregate,
    { markedBefore }: MarkedCall,
    bounded: (bounds: { readonly gte: number | null; readonly lte: number | null }) => Formula,
  ): Formula {
    let result = bounded(aggregate);
    for (const { slot, operators, then_gte: gte, then_lte: lte } of aggregate.when.toReversed()) {
      const value = present(markedBefore.slots.get(slot));
      if (value === undefined || value === UNKNOWN) continue;
      const holds = this.conditions.allAccepted(operators, [value]);
      const inside = bounded({ gte: gte ?? aggregate.gte, lte: lte ?? aggregate.lte });
      result = any([all([holds, inside]), all([not(holds), result])]);
    }
    return result;
  }

  /** What is asked of the answer of a call. */
  answer(at: number): Formula {
    const call = this.calls[at];
    if (call === undefined) return true;
    const { compiled, stages } = call.tool;
    const rules = (compiled?.output_invariants ?? []).map(({ path, operators }) =>
      this.conditions.allAccepted(operators, readAll(path, call.markedOutput)),
    );
    const ensured = (compiled?.ensures ?? []).map(({ that }) =>
      expressionCondition(this.program, that, call, this.conditions),
    );
    const envelopes = new Set(stages.filter(({ stage }) => stage.source === "output").map(({ envelope }) => envelope));
    return all([...rules, ...ensured, ...[...envelopes].map((index) => this.enveloped(index, call, "output"))]);
  }

  /** Whether a checkpoint asks about a call. */
  asked(at: number, index: number): Formula {
    const call = this.calls[at];
    const check = call?.tool.compiled?.checks[index];
    if (call === undefined || check?.kind !== "checkpoint") return false;
    if (check.when === null) return true;
    const ofPaths = pathConditions(check).map(({ path, operators }) =>
      any(readAll(path, call.marked).map((value) => this.conditions.allAccepted(operators, [value]))),
    );
    const others = check.when.flatMap((entry) =>
      "that" in entry ? [expressionCondition(this.program, entry.that, call, this.conditions)] : [],
    );
    return check.match === "any" ? any([...ofPaths, ...others]) : all([...ofPaths, ...others]);
  }
}
