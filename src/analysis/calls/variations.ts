import type { CompiledOperator } from "../../artifact/compiled-value.js";
import { canonicalJson } from "../../base/canonical-json.js";
import { isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";
import type { Program, Tool } from "../../guard/program/program.js";
import { proposalOf } from "../../guard/program/proposal.js";
import { entityOf } from "../../guard/session/entity.js";
import { newSession, type Session } from "../../guard/session/session.js";
import { readAll } from "../../guard/values/read-path.js";
import { domainOf, samplesOf } from "../../operators/index.js";
import { first } from "../model/caps.js";
import { OF_ARGUMENTS } from "../model/checks-of.js";
import { effectOfCall } from "../model/effects.js";
import { entryOf } from "../values/argument-rules.js";
import { putValue, setValue } from "../values/edit-value.js";
import { satisfyingValues } from "../values/operator-values.js";
import { othersLike } from "./other-values.js";
import type { ValueLibrary } from "./value-library.js";

/** Arguments with a value at a path. */
export function withValue(args: JsonObject, path: JsonPath, value: Json): JsonObject {
  const changed = putValue(args, path, value);
  return isJsonObject(changed) ? changed : args;
}

/** Whether an operator lists several values, or has a pattern, which mostly matches several. */
function hasSeveral(operator: CompiledOperator): boolean {
  return (domainOf(operator).accepts.values?.length ?? 0) > 1 || samplesOf(operator).patterns.length > 0;
}

/** Arguments similar to given ones but different, for rules that count distinct values or equal calls. */
export class Variations {
  private readonly kept = new Map<Tool, readonly { readonly path: JsonPath; readonly value: Json }[]>();
  private readonly beginning: Session;

  constructor(
    private readonly program: Program,
    private readonly library: ValueLibrary,
  ) {
    this.beginning = newSession(program);
  }

  /** Arguments with one value changed; if there is nothing to change, with something added. */
  unlike(tool: Tool, args: JsonObject, serial: number): readonly JsonObject[] {
    const variants = Object.entries(args).flatMap(([name, value]) => {
      // If the number is the largest that fits, only smaller ones are left.
      const below = typeof value === "number" ? othersLike(value, -serial) : [];
      return [...othersLike(value, serial), ...below].map((other) => ({ ...args, [name]: other }));
    });
    const added = variants.length === 0 ? this.added(tool, args, serial) : [];
    return [...variants, ...this.listed(tool, args, serial), ...added];
  }

  /** Arguments with an additional value: under a name that no rule knows, or at an optional path. */
  private added(tool: Tool, args: JsonObject, serial: number): readonly JsonObject[] {
    const places = this.accepted(tool).filter(({ path }) => readAll(path, args).length === 0);
    const more = [{ ...args, more: serial }, ...places.map(({ path, value }) => withValue(args, path, value))];
    return more.filter((other) => this.isFit(tool, other));
  }

  /** Arguments with another of the values that a rule lists or its pattern matches. */
  private listed(tool: Tool, args: JsonObject, serial: number): readonly JsonObject[] {
    return (tool.compiled?.checks ?? []).flatMap((check) => {
      const entry = entryOf(check);
      const operator = entry?.operators.find(hasSeveral);
      if (entry === null || operator === undefined) return [];
      const matching = this.accepted(tool).flatMap(({ path, value }) => (path === entry.path ? [value] : []));
      const own = canonicalJson(readAll(entry.path, args));
      const listed = domainOf(operator).accepts.values ?? matching;
      const values = listed.filter((value) => canonicalJson([value]) !== own);
      const value = values[serial % values.length];
      return value === undefined ? [] : [withValue(args, entry.path, value)];
    });
  }

  /** Values that argument rules accept at their paths. */
  accepted(tool: Tool): readonly { readonly path: JsonPath; readonly value: Json }[] {
    const kept = this.kept.get(tool);
    if (kept !== undefined) return kept;
    const found = (tool.compiled?.checks ?? []).flatMap((check) => {
      const entry = entryOf(check);
      const values =
        entry === null ? [] : first(satisfyingValues(entry.operators, this.program.env), "values_accepted");
      return entry === null ? [] : values.map((value) => ({ path: entry.path, value }));
    });
    this.kept.set(tool, found);
    return found;
  }

  /** The paths of entities for which only one value fits, though different ones are needed: a call may have none. */
  private singleEntities({ name, watches, binds, stages }: Tool): readonly JsonPath[] {
    if (watches.length + binds.length + stages.length < 2) return [];
    const { good } = this.library.argumentsOf(name);
    return watches.flatMap((watch) => {
      const entities = new Set(watch.resource === null ? [] : good.map((args) => entityOf(watch, args)));
      return watch.resource !== null && entities.size === 1 ? [watch.resource] : [];
    });
  }

  /** Plain arguments without a value that a shared aggregate counts, or without a single possible entity. */
  lacking(tool: Tool): readonly JsonObject[] {
    const [plain] = this.library.argumentsOf(tool.name).good;
    if (plain === undefined) return [];
    const shared = tool.aggregates.flatMap((index) => {
      const aggregate = this.program.aggregates[index];
      return aggregate?.tools === null && aggregate.path !== null ? [aggregate.path] : [];
    });
    return [...shared, ...this.singleEntities(tool)]
      .map((path) => setValue(plain, path, undefined))
      .filter(isJsonObject)
      .filter((args) => this.isFit(tool, args));
  }

  private isFit(tool: Tool, args: JsonObject): boolean {
    const proposal = proposalOf(tool, args);
    return tool.checks.every(
      ({ kind, run }) => !OF_ARGUMENTS.has(kind) || run(proposal, this.beginning, this.program) === null,
    );
  }

  /** Other arguments with the same effect, even if the rules suggest none. */
  twin(tool: Tool, args: JsonObject): readonly JsonObject[] {
    const varied = Object.entries(args).flatMap(([name, value]) =>
      othersLike(value, 1).map((other) => ({ ...args, [name]: other })),
    );
    const effect = effectOfCall(this.program, tool, args);
    const twin = [...varied, ...this.listed(tool, args, 1), ...this.added(tool, args, 1)].find(
      (other) =>
        this.isFit(tool, other) &&
        canonicalJson(other) !== canonicalJson(args) &&
        effectOfCall(this.program, tool, other) === effect,
    );
    return twin === undefined ? [] : [twin];
  }
}
