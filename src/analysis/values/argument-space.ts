import { pathConditions } from "../../artifact/compiled.js";
import type { CompiledInvariant } from "../../artifact/compiled-value.js";
import { isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";
import type { Program, Tool } from "../../guard/program/program.js";
import { type CapName, first } from "../model/caps.js";
import {
  type ArgumentRule,
  type ArgumentRules,
  argumentRules,
  entryOf,
  holdsOf,
  judgedCondition,
} from "./argument-rules.js";
import { setValue } from "./edit-value.js";
import { satisfyingValues } from "./operator-values.js";
import { type Entry, PathValues, type Pools } from "./path-values.js";
import { mendingChanges } from "./schema-changes.js";
import { schemaValues } from "./schema-values.js";
import { type Found, searchValue, type Wish } from "./value-search.js";

/** The conditions of a checkpoint; none if it always asks. */
export function conditionsOf({ check }: ArgumentRule): readonly CompiledInvariant[] {
  return check.kind === "checkpoint" ? pathConditions(check) : [];
}

/** What the search for arguments of one tool needs. */
export class ArgumentSpace {
  readonly rules: ArgumentRules;
  readonly values: PathValues;
  private readonly pools: Pools;

  constructor(
    readonly program: Program,
    readonly tool: Tool,
    pools: Pools,
  ) {
    this.rules = argumentRules(program, tool);
    this.pools = pools;
    const { checks, demands, schema } = this.rules;
    const entries = checks.flatMap(({ check }) => entryOf(check) ?? []);
    this.values = new PathValues({ entries, wanted: demands, pools, schema, env: program.env });
  }

  /** The number of checks, except one, that refuse the arguments. */
  refusals(args: Json, except: ArgumentRule | null = null): number {
    return this.rules.checks.filter((rule) => rule !== except && rule.refuses(args)).length;
  }

  /** How far arguments are from plain ones that pass: missing session values, and checkpoints that could be avoided. */
  flaws(args: Json, except: ArgumentRule | null = null): number {
    const missing = this.rules.demands.filter((entry) => !holdsOf(entry, args, this.program));
    const triggered = this.conditionalCheckpoints().filter((rule) => rule !== except && rule.refuses(args));
    return missing.length + triggered.length;
  }

  conditionalCheckpoints(): readonly ArgumentRule[] {
    return this.rules.checkpoints.filter((rule) => conditionsOf(rule).length > 0);
  }

  /** The paths in rules that have a pool. */
  pooledPaths(): readonly { readonly path: JsonPath; readonly values: readonly Json[] }[] {
    const conditions = this.rules.checkpoints.flatMap(conditionsOf);
    const entries: readonly Entry[] = [...this.values.entries(), ...conditions];
    const paths = new Map(entries.map(({ path }) => [path.text, path]));
    return [...this.pools.byPath].flatMap(([text, values]) => {
      const path = paths.get(text);
      return path?.kind === "definite" && values.length > 0 ? [{ path, values }] : [];
    });
  }

  /** Searches for arguments that pass all checks but those left out, from given starts. */
  search(starts: readonly Json[], wishes: readonly Wish[], attempts: CapName = "attempts_arguments", more = 0): Found {
    return searchValue(starts, wishes, attempts, more);
  }

  /** Plain arguments that pass all checks, or fail as few as possible. */
  plain(): Found {
    const { schema, checks, demands } = this.rules;
    const samples = schema === null ? [] : first(schemaValues(schema).filter(isJsonObject), "arguments_samples");
    const wishesWith = (isDemanding: boolean) => [
      ...checks.map((rule) => this.passing(rule)),
      ...demands.map((entry) => this.demanded(entry, isDemanding)),
      ...this.conditionalCheckpoints().flatMap((rule) => this.untriggered(rule, false)),
    ];
    const [simplest = {}] = samples;
    const found = this.search([simplest], wishesWith(false));
    if (found.isPerfect || (found.isGood && demands.every((entry) => holdsOf(entry, found.value, this.program))))
      return found;
    // Arguments without the session's values may be far from passing ones with them.
    const whole = this.search([...samples, {}], wishesWith(true));
    if (whole.isGood) return whole;
    return found.isGood ? found : this.search([...samples, {}], wishesWith(false));
  }

  /** A check passes the arguments. */
  passing(rule: ArgumentRule): Wish {
    const { check } = rule;
    const entry = entryOf(check);
    const { values } = this;
    return {
      isMust: true,
      holds: (args) => !rule.refuses(args),
      changes: (args) => {
        if (check.kind === "schema") return mendingChanges(check.schema, args);
        return entry === null ? [] : values.changes(args, entry.path);
      },
    };
  }

  /** The arguments have a value that the session needs. */
  private demanded(entry: Entry, isMust: boolean): Wish {
    return {
      isMust,
      holds: (args) => holdsOf(entry, args, this.program),
      changes: (args) => this.values.changes(args, entry.path),
    };
  }

  /** A checkpoint does not ask: no condition is met, or at least one is not. */
  untriggered(rule: ArgumentRule, isMust: boolean): readonly Wish[] {
    const each = conditionsOf(rule).map((condition): Wish => this.unmet(condition, isMust));
    if (rule.check.kind === "checkpoint" && rule.check.match === "any") return each;
    return [{ isMust, holds: (args) => !rule.refuses(args), changes: (args) => changesOfAll(each, args) }];
  }

  /** A checkpoint asks: all conditions are met, or at least one is. */
  triggered(rule: ArgumentRule): readonly Wish[] {
    const each = conditionsOf(rule).map((condition): Wish => this.met(condition));
    if (rule.check.kind === "checkpoint" && rule.check.match === "all") return each;
    return [{ isMust: true, holds: (args) => rule.refuses(args), changes: (args) => changesOfAll(each, args) }];
  }

  /** Arguments changed to meet all conditions of a checkpoint. */
  meetingAll(rule: ArgumentRule, args: Json): Json {
    return conditionsOf(rule).reduce((changed, { path, operators }) => {
      const [value] = satisfyingValues([...this.values.operatorsAt(path), ...operators], this.program.env);
      return value === undefined ? changed : setValue(changed, path, value);
    }, args);
  }

  private met(condition: Entry): Wish {
    return {
      isMust: true,
      holds: (args) => judgedCondition(condition, args, this.program) !== false,
      changes: (args) => this.edits(condition, satisfyingValues(condition.operators, this.program.env), args),
    };
  }

  private unmet(condition: Entry, isMust: boolean): Wish {
    return {
      isMust,
      holds: (args) => judgedCondition(condition, args, this.program) === false,
      changes: (args) => this.edits(condition, this.values.breaking(condition), args),
    };
  }

  private *edits({ path }: Entry, values: readonly Json[], args: Json): Generator<Json> {
    for (const value of [...values, ...this.values.at(path), undefined]) yield setValue(args, path, value);
  }
}

function* changesOfAll(wishes: readonly Wish[], value: Json): Generator<Json> {
  for (const wish of wishes) yield* wish.changes(value);
}

/** The values that can be arguments: objects. */
export function objects(values: Iterable<Json>): readonly JsonObject[] {
  return [...values].filter(isJsonObject);
}
