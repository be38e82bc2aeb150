import type { CheckOf, CompiledAggregate, CompiledCheck, CompiledPack, CompiledTool } from "../artifact/compiled.js";
import type { CompiledOperator } from "../artifact/compiled-value.js";
import { canonicalJson } from "../base/canonical-json.js";
import type { Json } from "../base/json.js";
import type { JsonPath } from "../base/json-path.js";
import type { Environment } from "../guard/judge-value.js";
import { readDefinite } from "../guard/read-path.js";
import { breakingValues, satisfyingValues } from "./values/operator-values.js";

/** Values worth trying at the paths of one tool's arguments or output, by the text of the path. */
export type ValuesByPath = ReadonlyMap<string, readonly Json[]>;

/** Which part of a call a path leads into. */
export type Side = "arguments" | "output";

/** What a call of a tool plainly looks like, and whether it may look otherwise. */
export interface Samples {
  /** Undefined where none is known. */
  plain(tool: string, side: Side): Json | undefined;
  /** Whether the tool's own rules let that value stand there. */
  fits(tool: string, side: Side, path: JsonPath, value: Json): boolean;
}

/** More values than these at one place bring more states than insight. */
const MOST_CANDIDATES = 16;

/** A place that a value flows through. */
interface Place {
  readonly text: string;
  /** Null for what only connects others. */
  readonly value: { readonly tool: string; readonly side: Side; readonly path: JsonPath } | null;
}

function isOutside(value: Json, of: Json, tolerance: number): boolean {
  if (typeof value !== "number" || typeof of !== "number") return value !== of;
  return Math.abs(value - of) > tolerance * Math.abs(of);
}

function place(tool: string, side: Side, path: JsonPath): Place {
  return { text: `${side} ${tool} ${path.text}`, value: { tool, side, path } };
}

function junction(text: string): Place {
  return { text, value: null };
}

const slotPlace = (slot: string): Place => junction(`slot ${slot}`);

/** Values at which an operator changes its mind. */
function borders(operator: CompiledOperator): readonly Json[] {
  switch (operator.op) {
    case "equals":
      return [operator.value];
    case "one_of":
      return operator.values.slice(0, MOST_CANDIDATES);
    case "gte":
    case "gt":
      return [operator.value, operator.value + 1, operator.value - 1];
    case "lte":
    case "lt":
      return [operator.value, operator.value - 1, operator.value + 1];
    case "multiple_of":
      return [operator.value];
    default:
      return [];
  }
}

function withNumber(text: string, number: number): string {
  const digits = String(number);
  const tail = /[0-9]+$/.exec(text)?.[0] ?? "";
  if (tail.length >= digits.length) return text.slice(0, -digits.length) + digits;
  return text.length > digits.length ? text.slice(0, -digits.length) + digits : text + digits;
}

/** The next values like one, for rules that ask whether two are equal; the same number gives the same values. */
export function othersLike(value: Json, number: number): readonly Json[] {
  if (typeof value === "number") return [value + number];
  if (typeof value === "boolean") return [!value];
  return typeof value === "string" ? [withNumber(value, number), `${value}${number}`] : [];
}

/** Some values unlike a given one. */
export function others(value: Json, count: number): readonly Json[] {
  return Array.from({ length: count }, (_, at) => othersLike(value, at + 1)).flat();
}

/** Values that are not equal to a bound one, not even nearly. */
export function outside(value: Json, tolerance: number | null): readonly Json[] {
  if (typeof value !== "number" || tolerance === null) return others(value, 2);
  const far = 1 + 2 * tolerance * Math.abs(value);
  return [value + far, value - far];
}

/** What rules do with the values of one class of places. */
interface Use {
  readonly places: Map<string, Place>;
  readonly candidates: Map<string, Json>;
  /** Values that a rule of the session tells apart from others. */
  readonly telling: Map<string, Json>;
  /** Texts of places that must repeat a value, with how far from it they may be: without end where they cannot differ. */
  readonly repeating: Map<string, number>;
  isNumeric: boolean;
}

/** Places joined by rules that compare what flows through them. */
class Classes {
  private readonly parents = new Map<string, string>();
  private readonly uses = new Map<string, Use>();
  private readonly byTool = new Map<string, readonly NonNullable<Place["value"]>[]>();

  constructor(private readonly samples: Samples) {}

  join(one: Place, other: Place): void {
    const [a, b] = [this.root(one.text), this.root(other.text)];
    const [from, into] = [this.use(one), this.use(other)];
    if (a === b) return;
    this.parents.set(a, b);
    for (const [text, each] of from.places) into.places.set(text, each);
    for (const [text, value] of from.candidates) into.candidates.set(text, value);
    for (const [text, value] of from.telling) into.telling.set(text, value);
    for (const [text, tolerance] of from.repeating) into.repeating.set(text, tolerance);
    into.isNumeric ||= from.isNumeric;
    this.uses.delete(a);
  }

  /** The class of a place, with the place in it. */
  use(at: Place): Use {
    const root = this.root(at.text);
    const use = this.uses.get(root) ?? {
      places: new Map(),
      candidates: new Map(),
      telling: new Map(),
      repeating: new Map(),
      isNumeric: false,
    };
    this.uses.set(root, use);
    if (at.value !== null && !use.places.has(at.text)) {
      use.places.set(at.text, at);
      this.byTool.set(at.value.tool, [...this.placesOf(at.value.tool), at.value]);
    }
    return use;
  }

  /** The places in calls of a tool. */
  placesOf(tool: string): readonly NonNullable<Place["value"]>[] {
    return this.byTool.get(tool) ?? [];
  }

  isKnown(at: Place): boolean {
    return this.parents.has(at.text) || this.uses.has(at.text);
  }

  suggest(at: Place, values: readonly Json[]): void {
    const { candidates } = this.use(at);
    for (const value of values) if (candidates.size < MOST_CANDIDATES) candidates.set(canonicalJson(value), value);
  }

  /** What to try at each place. */
  pools(): ReadonlyMap<Place, readonly Json[]> {
    const pools = new Map<Place, readonly Json[]>();
    for (const use of this.uses.values()) {
      const pool = this.pool(use);
      for (const each of use.places.values()) pools.set(each, pool);
    }
    return pools;
  }

  private root(text: string): string {
    let at = text;
    for (let up = this.parents.get(at); up !== undefined; up = this.parents.get(at)) at = up;
    return at;
  }

  private fits({ value: at }: Place, value: Json): boolean {
    return at !== null && this.samples.fits(at.tool, at.side, at.path, value);
  }

  /** As few values as let every place have one that fits, with those that a rule tells apart. */
  private pool(use: Use): readonly Json[] {
    const { places, candidates, telling, isNumeric } = use;
    const open = new Set(places.values());
    const rated = [...telling.values(), ...candidates.values()].map((value) => ({
      value,
      fitting: [...open].filter((each) => this.fits(each, value)),
    }));
    const pool = new Map<string, Json>();
    for (const { value, fitting } of rated.sort((a, b) => b.fitting.length - a.fitting.length)) {
      if (!fitting.some((each) => open.has(each)) && !telling.has(canonicalJson(value))) continue;
      pool.set(canonicalJson(value), value);
      for (const each of fitting) open.delete(each);
    }
    if (isNumeric) {
      const numbers = rated.filter(({ fitting }) => fitting.length > 0).map(({ value }) => value);
      const sorted = numbers.filter((value) => typeof value === "number").sort((a, b) => a - b);
      for (const value of [sorted[0], sorted.at(-1)]) if (value !== undefined) pool.set(canonicalJson(value), value);
    }
    const [only] = pool.values();
    if (pool.size === 1 && only !== undefined) pool.set("other", this.differing(use, only) ?? only);
    return [...pool.values()];
  }

  /** Where a place cannot fail to repeat the one value there is, another one has to come from elsewhere. */
  private differing({ places, candidates, repeating }: Use, only: Json): Json | undefined {
    const tolerance = Math.max(0, ...[...repeating.values()].filter(Number.isFinite));
    const values = [...outside(only, tolerance), ...candidates.values()].filter((value) =>
      isOutside(value, only, tolerance),
    );
    const fitting = (at: Place | undefined) => values.find((value) => at !== undefined && this.fits(at, value));
    const isFree = ([text, own]: readonly [string, number]) =>
      Number.isFinite(own) && fitting(places.get(text)) !== undefined;
    if ([...repeating].every(isFree)) return undefined;
    const sources = [...places].filter(([text]) => !repeating.has(text));
    return sources.map(([, at]) => fitting(at)).find((value) => value !== undefined);
  }
}

function operatorsOf(check: CompiledCheck): readonly CompiledOperator[] {
  if (check.kind === "derived_invariant") return [check.operator];
  const isEntry =
    check.kind === "input_invariant" || check.kind === "execution_constraint" || check.kind === "argument_invariant";
  return isEntry ? check.operators : [];
}

type Prior = NonNullable<CheckOf<"precondition">["prior"]>;

function linkPrior(classes: Classes, { name, checks }: CompiledTool, { tool: prior, resource }: Prior): void {
  if (resource === null) return;
  const at = place(name, "arguments", resource);
  classes.join(at, place(prior, "arguments", resource));
  // Where more is asked of the same earlier tool, it may have to be called for another entity too.
  const asked = checks.filter((check) => check.kind === "precondition" && check.prior?.tool === prior);
  if (asked.length > 1) classes.use(at).repeating.set(at.text, Number.POSITIVE_INFINITY);
}

/** Entities of a tool's calls; a rule that refuses one is met only where the required earlier call was for it too. */
function linkEntities(classes: Classes, tool: CompiledTool, env: Environment): void {
  const entities = entitiesOf(tool);
  for (const check of tool.checks) {
    if (!("path" in check) || !entities.has(check.path.text)) continue;
    const [broken] = breakingValues(operatorsOf(check), env);
    const { telling } = classes.use(place(tool.name, "arguments", check.path));
    if (broken !== undefined) telling.set(canonicalJson(broken), broken);
  }
}

/** Outputs of earlier calls that a precondition refuses, though the tool's own rules let them stand. */
function linkOutputs(
  classes: Classes,
  { checks }: CompiledTool,
  { samples, env }: { readonly samples: Samples; readonly env: Environment },
): void {
  for (const check of checks) {
    const prior = check.kind === "precondition" ? check.prior : null;
    if (prior === null) continue;
    for (const { path, operators } of prior.with_output) {
      const refused = breakingValues(operators, env).find((value) => samples.fits(prior.tool, "output", path, value));
      if (refused !== undefined)
        classes.use(place(prior.tool, "output", path)).telling.set(canonicalJson(refused), refused);
    }
  }
}

/** The places of entities in a tool's arguments. */
function entitiesOf({ checks }: CompiledTool): ReadonlySet<string> {
  return new Set(checks.flatMap((check) => (check.kind === "precondition" ? (check.prior?.resource?.text ?? []) : [])));
}

function linkRef(classes: Classes, tool: CompiledTool, { path, slot, tolerance }: CheckOf<"ref">): void {
  const at = place(tool.name, "arguments", path);
  classes.join(at, slotPlace(slot));
  const entities = entitiesOf(tool);
  const isBound = tool.checks.every((check) => check.kind !== "ref" || entities.has(check.path.text));
  classes.use(at).repeating.set(at.text, isBound ? Number.POSITIVE_INFINITY : (tolerance ?? 0));
}

/** The bounds that one call has to keep by itself. */
function boundsOfOne({ metric, gte, lte, when }: CompiledAggregate): readonly number[] {
  const lower = [gte, ...when.map(({ then_gte: bound }) => bound)];
  const upper = metric === "sum" ? [] : [lte, ...when.map(({ then_lte: bound }) => bound)];
  return [...lower, ...upper].filter((bound) => bound !== null);
}

/** The places in a tool's arguments that must repeat what an earlier call said. */
function repeatedPaths({ checks }: CompiledTool): readonly (string | undefined)[] {
  return checks.flatMap((check) => {
    if (check.kind === "ref") return [check.path.text];
    return check.kind === "precondition" ? [check.prior?.resource?.text] : [];
  });
}

function linkAggregate(classes: Classes, tool: CompiledTool, aggregate: CompiledAggregate): void {
  const { metric, path } = aggregate;
  if (path === null || metric === "count") return;
  const at = place(tool.name, "arguments", path);
  // Which of these are equal is what is counted.
  if (metric === "count_distinct") classes.join(at, junction(`distinct ${aggregate.name}`));
  const use = classes.use(at);
  if (metric === "count_distinct") return;
  use.isNumeric = true;
  const bounds: readonly Json[] = boundsOfOne(aggregate);
  // Where the call must repeat a value, one that is no number has to come from before.
  const telling = repeatedPaths(tool).includes(path.text) ? [...bounds, "text"] : bounds;
  for (const value of telling) use.telling.set(canonicalJson(value), value);
}

function linkTool(classes: Classes, tool: CompiledTool, { aggregates }: CompiledPack): void {
  const { name, checks, binds } = tool;
  for (const check of checks) {
    if (check.kind === "ref") linkRef(classes, tool, check);
    if (check.kind === "precondition" && check.prior !== null) linkPrior(classes, tool, check.prior);
    const aggregate = check.kind === "aggregate" ? aggregates[check.index] : undefined;
    if (aggregate !== undefined) linkAggregate(classes, tool, aggregate);
  }
  for (const { slot, source, path } of binds) classes.join(place(name, source, path), slotPlace(slot));
}

function linkSession(classes: Classes, { tools, aggregates, envelopes }: CompiledPack, env: Environment): void {
  const entities = new Map(tools.map((tool) => [tool.name, entitiesOf(tool)]));
  envelopes.forEach(({ stages }, index) => {
    const all = junction(`envelope ${index}`);
    for (const { tool, path, source, role } of stages) {
      const at = place(tool, source, path);
      classes.join(at, all);
      const isBound = role === "constrained" && source === "arguments" && entities.get(tool)?.has(path.text) === true;
      if (isBound) classes.use(at).repeating.set(at.text, Number.POSITIVE_INFINITY);
    }
    classes.use(all).isNumeric = true;
    classes.suggest(all, [100]);
  });
  for (const { slot, operators } of aggregates.flatMap(({ when }) => when)) {
    const { telling } = classes.use(slotPlace(slot));
    const [met] = satisfyingValues(operators, env);
    // A value of another type than the condition speaks of cannot be judged by it.
    const values = [met, breakingValues(operators, env)[0], typeof met === "string" ? 1 : "text"];
    for (const value of values) if (value !== undefined) telling.set(canonicalJson(value), value);
  }
}

function suggestFor(classes: Classes, tool: CompiledTool, samples: Samples): void {
  const suggest = (side: Side, path: JsonPath, operators: readonly CompiledOperator[]) => {
    const at = place(tool.name, side, path);
    if (!classes.isKnown(at)) return;
    const plain = samples.plain(tool.name, side);
    const value = path.kind === "definite" && plain !== undefined ? readDefinite(path.steps, plain) : undefined;
    classes.suggest(at, [...(value === undefined ? [] : [value]), ...operators.flatMap(borders)]);
  };
  for (const { side, path } of classes.placesOf(tool.name)) suggest(side, path, []);
  for (const check of tool.checks) {
    if ("path" in check) suggest("arguments", check.path, operatorsOf(check));
    const conditions = check.kind === "checkpoint" ? (check.when ?? []) : [];
    for (const { path, operators } of conditions) suggest("arguments", path, operators);
  }
  for (const { path, operators } of tool.output_invariants) suggest("output", path, operators);
}

/** Values for places that rules compare with each other, such that a value fit for one is tried at the others too. */
export class LinkedValues {
  private readonly byTool = new Map<string, Map<string, readonly Json[]>>();

  constructor(pack: CompiledPack, samples: Samples, env: Environment) {
    const classes = new Classes(samples);
    for (const tool of pack.tools) {
      linkTool(classes, tool, pack);
      linkEntities(classes, tool, env);
      linkOutputs(classes, tool, { samples, env });
    }
    linkSession(classes, pack, env);
    for (const tool of pack.tools) suggestFor(classes, tool, samples);
    for (const [{ value }, pool] of classes.pools()) {
      if (value === null) continue;
      const key = `${value.side} ${value.tool}`;
      const byPath = this.byTool.get(key) ?? new Map<string, readonly Json[]>();
      this.byTool.set(key, byPath);
      byPath.set(value.path.text, pool);
    }
  }

  /** What to try at the linked paths of a tool's arguments, or of its output. */
  of(tool: string, side: Side): ValuesByPath {
    return this.byTool.get(`${side} ${tool}`) ?? new Map();
  }
}
