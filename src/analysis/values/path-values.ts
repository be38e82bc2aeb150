import type { CompiledSchema } from "../../artifact/compiled-schema.js";
import type { CompiledOperator } from "../../artifact/compiled-value.js";
import type { Json } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";
import type { Environment } from "../../guard/values/judge-value.js";
import { first as firstOf } from "../model/caps.js";
import { addValue, branchesOf, setValue } from "./edit-value.js";
import { breakingValues, candidateValues, judgeBy, satisfyingValues } from "./operator-values.js";
import { schemaValuesAt } from "./schema-values.js";
import { distinct } from "./value-list.js";

/** Sample values at a definite path, by the path's text. */
export interface Pools {
  readonly byPath: ReadonlyMap<string, readonly Json[]>;
}

/** Operators that judge the values at a path. */
export interface Entry {
  readonly path: JsonPath;
  readonly operators: readonly CompiledOperator[];
}

/** What is known about one root: the entries that must hold for it, the pools and its schema. */
export interface Sources {
  readonly entries: readonly Entry[];
  /** Entries that should hold too, as far as they can. */
  readonly wanted: readonly Entry[];
  readonly pools: Pools;
  readonly schema: CompiledSchema | null;
  readonly env: Environment;
}

/** The leading names and indices of a path. */
export function stepsOf(path: JsonPath): readonly (string | number)[] {
  if (path.kind === "definite") return path.steps;
  return path.segments.map(({ selectors: [first] }) => {
    if (first?.kind === "name") return first.name;
    return first?.kind === "index" ? first.index : 0;
  });
}

/** The operators of several entries, up to a bound, to find one value for all. */
function joined(entries: readonly Entry[]): readonly CompiledOperator[] {
  return firstOf(
    entries.flatMap(({ operators }) => operators),
    "values_joined",
  );
}

/** The sample values at paths; each path is computed once. */
export class PathValues {
  private readonly known = new Map<string, readonly Json[]>();
  private readonly byText = new Map<string, Entry[]>();

  private readonly broken = new Map<Entry, readonly Json[]>();

  constructor(private readonly sources: Sources) {
    for (const entry of this.entries()) {
      const same = this.byText.get(entry.path.text) ?? [];
      this.byText.set(entry.path.text, same);
      same.push(entry);
    }
  }

  /** All entries that judge the root. */
  entries(): readonly Entry[] {
    return [...this.sources.entries, ...this.sources.wanted];
  }

  /** All operators that judge the values at a path. */
  operatorsAt(path: JsonPath): readonly CompiledOperator[] {
    return (this.byText.get(path.text) ?? []).flatMap(({ operators }) => operators);
  }

  /** Sample values at a path; those that all operators there accept come first. */
  at(path: JsonPath): readonly Json[] {
    const known = this.known.get(path.text);
    if (known !== undefined) return known;
    const values = this.find(path);
    this.known.set(path.text, values);
    return values;
  }

  /** Values that an entry refuses; those that the others on its path accept come first. */
  breaking(entry: Entry): readonly Json[] {
    const known = this.broken.get(entry);
    if (known !== undefined) return known;
    const { env, wanted } = this.sources;
    const others = (this.byText.get(entry.path.text) ?? []).filter((other) => other !== entry);
    const all = joined(others);
    const musts = joined(others.filter((other) => !wanted.includes(other)));
    const joint = all.length === 0 ? [] : candidateValues([...entry.operators, ...all], env);
    const own = breakingValues(entry.operators, env);
    const refused = [...own, ...joint.filter((value) => judgeBy(entry.operators, value, env) !== true)];
    const accepted = (operators: Entry["operators"]) =>
      refused.filter((value) => judgeBy(operators, value, env) === true);
    const values = distinct([...accepted(all), ...accepted(musts), ...refused], "values_breaking");
    this.broken.set(entry, values);
    return values;
  }

  /** A value with each sample at the path, and finally without any. */
  *changes(value: Json, path: JsonPath): Generator<Json> {
    const values = this.at(path);
    const first = firstOf(values, "values_branched");
    for (const candidate of first) yield setValue(value, path, candidate);
    for (const branch of branchesOf(path)) {
      for (const candidate of [...first, undefined]) yield setValue(value, branch, candidate);
    }
    for (const candidate of first) yield* addValue(value, path, candidate);
    for (const candidate of [...values.slice(first.length), undefined]) yield setValue(value, path, candidate);
  }

  private find(path: JsonPath): readonly Json[] {
    const { pools, schema, env, wanted } = this.sources;
    const here = this.byText.get(path.text) ?? [];
    const all = joined(here);
    const musts = joined(here.filter((entry) => !wanted.includes(entry)));
    const pooled = firstOf(pools.byPath.get(path.text) ?? [], "values_pooled");
    const fromSchema = schema === null ? [] : schemaValuesAt(schema, stepsOf(path));
    const single = here.length < 2 ? [] : [musts, ...firstOf(here, "values_joined").map(({ operators }) => operators)];
    const satisfying = [all, ...single].flatMap((operators) => satisfyingValues(operators, env));
    const values = distinct([...pooled, ...fromSchema, ...satisfying]);
    const accepted = (operators: Entry["operators"]) =>
      values.filter((value) => judgeBy(operators, value, env) === true);
    return distinct([...accepted(all), ...accepted(musts), ...values], "values_at_path");
  }
}
