import type { CompiledAggregate, CompiledCheck } from "../../artifact/compiled.js";
import { isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";
import { whyHidden } from "../../guard/decide/visible-tools.js";
import type { Program, Proposal, Tool } from "../../guard/program/program.js";
import type { ToolEffects } from "../../guard/program/tool-effects.js";
import { entityOf } from "../../guard/session/entity.js";
import type { Session } from "../../guard/session/session.js";
import { ExpressionCalls } from "../expression/expression-calls.js";
import type { Scene } from "../expression/scene.js";
import { type CapName, cut, first, isBeyond, most, remembered } from "../model/caps.js";
import { checksOf } from "../model/checks-of.js";
import { effectOfCall, effectOfOutput } from "../model/effects.js";
import { judgeCounted } from "../model/work.js";
import { proposalIn } from "../state/clock.js";
import type { Signal } from "../trace/plan.js";
import { holdersOf, setValue } from "../values/edit-value.js";
import { type Suggestion, Suggestions } from "./suggestions.js";
import type { ValueLibrary } from "./value-library.js";
import { Variations, withValue } from "./variations.js";

/** Values that are not numbers, and no value. */
const UNUSABLE: readonly (Json | undefined)[] = [undefined, "text", null];
/** Values that nothing is counted under. */
const UNCOUNTABLE: readonly (Json | undefined)[] = [undefined, null, [], {}];

function hasLowerBound(aggregate: CompiledAggregate | undefined): boolean {
  if (aggregate === undefined) return false;
  return aggregate.gte !== null || aggregate.when.some(({ then_gte: gte }) => gte !== null);
}

/** Whether a check requires what calls of a tool provide. */
function awaits(check: CompiledCheck, { name, binds, stages }: ToolEffects): boolean {
  if (check.kind === "precondition") return check.prior?.tool === name;
  if (check.kind === "envelope")
    return stages.some(({ envelope, stage }) => envelope === check.index && stage.role !== "constrained");
  return check.kind === "ref" && binds.some(({ slot }) => slot === check.slot);
}

function distinctArguments(all: readonly JsonObject[]): readonly JsonObject[] {
  return [...new Map(all.map((args) => [JSON.stringify(args), args])).values()];
}

function withoutNumbers(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|-?[0-9][0-9.e+-]*/g, (part) => (part.startsWith('"') ? part : "0"));
}

/** A call without its numbers, but for those that name entities. */
function shapeOf(tool: Tool, args: JsonObject): string {
  const entities = tool.watches.map((watch) => entityOf(watch, args));
  return `${withoutNumbers(JSON.stringify(args))} ${JSON.stringify(entities)}`;
}

/** What a state suggests for calls of a tool; equal keys mean equal likely calls. */
interface Suggested {
  readonly suggestions: readonly Suggestion[];
  readonly key: string;
}

/** The calls to try in a state: the values that rules compare with are taken from the session. */
export class Moves {
  private readonly keptOutputs = new Map<ToolEffects, readonly Json[]>();
  /** Calls by what the state suggests, because they depend on nothing else in the state. */
  private readonly keptLikely = new Map<string, readonly Proposal[]>();
  private readonly keptProbing = new Map<string, readonly Proposal[]>();
  /** The suggestions for the last session; they are needed repeatedly. */
  private suggested: { readonly session: Session | null; readonly byTool: Map<Tool, Suggested> };
  private readonly alike: number;
  private readonly variations: Variations;
  private readonly suggestions: Suggestions;
  private readonly expressions: ExpressionCalls;
  /** Whether calls that differ only in their numbers are one. */
  private readonly isBlurred: boolean;
  /** Whether no call can be made twice in a row. */
  private readonly isTight: boolean;

  constructor(
    private readonly program: Program,
    private readonly library: ValueLibrary,
    /** The tool whose rules are to be seen refusing. */
    focus: string | null = null,
    /** Scenes to be tried besides those of its own expressions. */
    scenes: readonly Scene[] = [],
  ) {
    this.expressions = new ExpressionCalls(program, library.scenes, focus, scenes);
    const [loop] = program.pack.tools.flatMap(({ checks }) =>
      checks.filter((check) => check.kind === "loop_detection"),
    );
    // If loop detection refuses a repeated call, another call with the same effect may pass.
    this.alike = loop === undefined ? 1 : 2;
    this.isBlurred = library.budget === "one";
    this.variations = new Variations(program, library);
    this.suggested = { session: null, byTool: new Map() };
    this.suggestions = new Suggestions(program, library.budget === "many");
    this.isTight = loop !== undefined && loop.threshold <= 2;
  }

  /** Times and labels that expressions ask about, and that the session does not have yet. */
  signals(session: Session): readonly Signal[] {
    return this.expressions.signals(session);
  }

  /** Answers of a tool, one for each effect on the session. */
  outputs(tool: ToolEffects): readonly Json[] {
    const kept = this.keptOutputs.get(tool) ?? [
      ...this.distinctOutputs(tool),
      ...(this.helpsByCounting(tool) ? this.rejectedOutputs(tool) : []),
    ];
    this.keptOutputs.set(tool, kept);
    return kept;
  }

  /** The tools whose calls forbid others, and where steps are counted, all checks. */
  private readonly counted = remembered(() => {
    const checks = this.program.pack.tools.flatMap((each) => each.checks);
    const forbidding = checksOf(checks, "forbidden_by").flatMap(({ tools }) => tools.map(({ tool }) => tool));
    const isAnyLate = checksOf(checks, "precondition").some(({ step_count: least }) => least !== null);
    return { forbidding: new Set(forbidding), awaiting: isAnyLate ? checks : [] };
  });

  /** Whether calls of the tool help that count without satisfying, binding or advancing anything. */
  private helpsByCounting(tool: ToolEffects): boolean {
    const { name, aggregates, advancesTo, watches, binds, stages, commitsAtDispatch } = tool;
    // A call committed at dispatch stays committed, though its rejected answer does not satisfy a precondition.
    if (commitsAtDispatch && watches.some(({ withOutput }) => withOutput.length > 0)) return true;
    if (advancesTo === null && [watches, binds, stages].every(({ length }) => length === 0)) return false;
    if (aggregates.some((index) => hasLowerBound(this.program.aggregates[index]))) return true;
    const { forbidding, awaiting } = this.counted();
    return forbidding.has(name) || awaiting.some((check) => awaits(check, tool));
  }

  /** Answers that break a rule of the tool. */
  rejectedOutputs(tool: ToolEffects): readonly Json[] {
    return first([...this.library.outputsOf(tool.name).bad.values()].flat(), "outputs_broken");
  }

  /** Calls that differ from those before, for rules that count distinct values or equal calls. */
  fresh(tool: Tool, session: Session, serial: number): readonly Proposal[] {
    const [plain] = this.likely(tool, session);
    if (plain === undefined) return [];
    return this.proposals(tool, session, this.variations.unlike(tool, plain.args, serial), "calls_in_state");
  }

  private suggest(tool: Tool, session: Session): Suggested {
    if (this.suggested.session !== session) this.suggested = { session, byTool: new Map() };
    const { byTool } = this.suggested;
    const known = byTool.get(tool);
    if (known !== undefined) return known;
    const suggestions = this.suggestions.of(tool, session);
    const read = this.expressions.keyOf(tool, session);
    const key = `${tool.name} ${JSON.stringify(suggestions.map(({ fitting }) => fitting))} ${read}`;
    const suggested = { suggestions, key };
    byTool.set(tool, suggested);
    return suggested;
  }

  /** Calls that the guard likely allows, one for each effect. */
  likely(tool: Tool, session: Session): readonly Proposal[] {
    const { suggestions, key } = this.suggest(tool, session);
    const calls = this.keptLikely.get(key) ?? this.distinctCalls(tool, suggestions, session);
    this.keptLikely.set(key, calls);
    return calls;
  }

  /** Calls that the guard allows, one for each effect, up to a bound. */
  allowed(tool: Tool, session: Session, limit: CapName = "calls_in_state"): readonly Proposal[] {
    const found: Proposal[] = [];
    if (whyHidden(this.program, session, tool) !== null) return found;
    for (const proposal of this.likely(tool, session)) {
      if (judgeCounted(this.program, session, proposal) !== null) continue;
      if (isBeyond(found.length + 1, limit)) break;
      found.push(proposal);
    }
    return found;
  }

  /** Whether the guard allows one of the likely calls. */
  isAllowed(tool: Tool, session: Session): boolean {
    if (whyHidden(this.program, session, tool) !== null) return false;
    return this.likely(tool, session).some((proposal) => judgeCounted(this.program, session, proposal) === null);
  }

  /** Calls with fitting arguments, including those likely refused in this state. */
  probing(tool: Tool, session: Session): readonly Proposal[] {
    const { suggestions, key } = this.suggest(tool, session);
    const whole = `${key} ${JSON.stringify(suggestions.map(({ unfit }) => unfit))}`;
    const calls =
      this.keptProbing.get(whole) ??
      this.proposals(tool, session, this.probes(tool, session, suggestions), "calls_probing");
    this.keptProbing.set(whole, calls);
    return calls;
  }

  /** The arguments to try; a generator, because only the first ones are used. */
  private *probes(tool: Tool, session: Session, suggestions: readonly Suggestion[]): Generator<JsonObject> {
    const likely = this.likely(tool, session).map(({ args }) => args);
    yield* likely;
    for (const { path, fitting, unfit } of suggestions) {
      const accepted = this.variations
        .accepted(tool)
        .flatMap(({ path: { text }, value }) => (text === path.text ? [value] : []));
      // A value that fits one rule may be unfit for another rule on the same path.
      for (const value of [...unfit, ...fitting, ...accepted])
        for (const args of first(likely, "calls_changed")) yield withValue(args, path, value);
    }
    yield* first(this.library.argumentsOf(tool.name).good, "calls_plain");
    if (this.countsDistinct(tool)) for (const { args } of this.fresh(tool, session, 1)) yield args;
  }

  /** Calls that an argument check refuses, by the index of the check; otherwise as fitting as possible. */
  refused(
    tool: Tool,
    session: Session,
    isSought: (index: number) => boolean = () => true,
  ): ReadonlyMap<number, readonly Proposal[]> {
    const { suggestions } = this.suggest(tool, session);
    const { bad } = this.library.argumentsOf(tool.name);
    const allowed = this.allowed(tool, session);
    const likely = (allowed.length > 0 ? allowed : this.likely(tool, session)).map(({ args }) => args);
    const unmet = [...this.expressions.refused(tool, session, likely, isSought)].map(
      ([index, args]) => [index, this.proposals(tool, session, args, "calls_in_state")] as const,
    );
    const unfit = [...bad].map(([index, variants]) => {
      const check = tool.compiled?.checks[index];
      const own = check !== undefined && "path" in check ? check.path.text : null;
      const others = suggestions.filter(({ path }) => path.text !== own);
      const fitted = this.fit(first(variants, "calls_unfit"), others, this.refPaths(tool));
      return [index, this.proposals(tool, session, [...fitted, ...variants], "calls_in_state")] as const;
    });
    return new Map([...unmet, ...unfit]);
  }

  /** Calls whose arguments pass a test, as fitting as possible. */
  picked(tool: Tool, session: Session, test: (args: JsonObject) => boolean): readonly Proposal[] {
    const { suggestions } = this.suggest(tool, session);
    const { good } = this.library.argumentsOf(tool.name);
    const fitted = this.fit(good.filter(test), suggestions, this.refPaths(tool));
    return this.proposals(tool, session, fitted.filter(test), "calls_in_state");
  }

  /** Calls that lack a value an aggregate needs, or have one that it cannot use. */
  unusable(tool: Tool, session: Session): readonly Proposal[] {
    const [plain] = this.likely(tool, session);
    if (plain === undefined) return [];
    const aggregates = tool.aggregates.flatMap((index) => this.program.aggregates[index] ?? []);
    const without = (path: JsonPath, values: readonly (Json | undefined)[]) => [
      ...values.map((value) => setValue(plain.args, path, value)),
      ...holdersOf(path).map((holder) => setValue(plain.args, holder, undefined)),
    ];
    const variants = aggregates.flatMap(({ path, per }) => [
      ...(path === null ? [] : without(path, UNUSABLE)),
      ...(per === undefined ? [] : without(per, UNCOUNTABLE)),
    ]);
    return this.proposals(tool, session, variants.filter(isJsonObject), "calls_in_state");
  }

  private countsDistinct({ aggregates }: ToolEffects): boolean {
    return aggregates.some((index) => this.program.aggregates[index]?.metric === "count_distinct");
  }

  private refPaths(tool: Tool): ReadonlySet<string> {
    return new Set(checksOf(tool.compiled?.checks ?? [], "ref").map(({ path }) => path.text));
  }

  /** The first distinct calls, up to a bound; it reads at most four times as many arguments. */
  private proposals(tool: Tool, session: Session, all: Iterable<JsonObject>, limit: CapName): readonly Proposal[] {
    const byText = new Map<string, JsonObject>();
    const limitOfAll = most(limit);
    let left = 4 * limitOfAll;
    for (const args of all) {
      if (left === 0 || byText.size === limitOfAll) {
        cut(limit);
        break;
      }
      const text = JSON.stringify(args);
      if (!byText.has(text)) byText.set(text, args);
      left -= 1;
    }
    return [...byText.values()].map((args) => proposalIn(session, tool, args));
  }

  /** Arguments with the suggested values: always for references, otherwise both with and without. */
  private fit(
    all: readonly JsonObject[],
    suggestions: readonly Suggestion[],
    refs: ReadonlySet<string>,
  ): readonly JsonObject[] {
    let fitted: readonly JsonObject[] = all;
    for (const { path, fitting } of suggestions) {
      if (fitting.length === 0) continue;
      const changed = fitted.flatMap((args) => fitting.map((value) => withValue(args, path, value)));
      fitted = first(refs.has(path.text) || this.isBlurred ? changed : [...fitted, ...changed], "calls_fitted");
    }
    return fitted;
  }

  /** Plain arguments, with those that expressions ask for. */
  private plainCalls(tool: Tool): readonly JsonObject[] {
    const { good } = this.library.argumentsOf(tool.name);
    return [...this.expressions.arguments(tool, good[0] ?? {}), ...good, ...this.variations.lacking(tool)];
  }

  private distinctCalls(tool: Tool, suggestions: readonly Suggestion[], session: Session): readonly Proposal[] {
    const fitted = this.fit(this.plainCalls(tool), suggestions, this.refPaths(tool));
    const all = distinctArguments([...this.expressions.repaired(tool, session, fitted), ...fitted]);
    // Of calls with the same effect, an expression may refuse some.
    const alike = this.expressions.judges(tool) ? Math.max(this.alike, most("calls_alike")) : this.alike;
    const counts = new Map<string, number>();
    const shapes = new Map<string, number>();
    const kept: { readonly args: JsonObject; readonly effect: string }[] = [];
    for (const args of all) {
      const effect = this.isBlurred ? shapeOf(tool, args) : effectOfCall(this.program, tool, args);
      const count = counts.get(effect) ?? 0;
      counts.set(effect, count + 1);
      if (count >= alike) continue;
      const shape = shapeOf(tool, args);
      const others = shapes.get(shape) ?? 0;
      if (this.library.budget !== "many" && isBeyond(others + 1, "calls_of_shape")) continue;
      shapes.set(shape, others + 1);
      kept.push({ args, effect });
    }
    const single = this.isTight
      ? first(
          kept.filter(({ effect }) => counts.get(effect) === 1),
          "calls_twin",
        )
      : [];
    const twins = single.flatMap(({ args }) => this.variations.twin(tool, args));
    return this.proposals(tool, session, [...kept.map(({ args }) => args), ...twins], "calls_in_state");
  }

  private distinctOutputs(tool: ToolEffects): readonly Json[] {
    const kept = new Map<string, Json>();
    const { good } = this.library.outputsOf(tool.name);
    for (const output of [...this.expressions.outputs(tool, good[0] ?? null), ...good]) {
      const known = effectOfOutput(this.program, tool, output);
      const effect = this.isBlurred ? withoutNumbers(known) : known;
      if (!kept.has(effect)) kept.set(effect, output);
    }
    return kept.size === 0 ? [null] : [...kept.values()];
  }
}
