import type { CompiledAggregate } from "../../artifact/compiled.js";
import { valueOfKey } from "../../base/canonical-json.js";
import { decimalOf, minus, numberOf, plus, times } from "../../base/decimal.js";
import type { Json } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";
import { present } from "../../guard/decide/worlds.js";
import type { Program, Tool } from "../../guard/program/program.js";
import { type Possible, UNKNOWN } from "../../guard/session/call.js";
import type { Session } from "../../guard/session/session.js";
import { cut, last } from "../model/caps.js";
import { checksOf, watchOf } from "../model/checks-of.js";
import { aggregateValue } from "../state/abstraction.js";
import { others, outside } from "./other-values.js";

function boundsOf({ gte, lte, when }: CompiledAggregate): readonly number[] {
  const all = [lte, gte, ...when.flatMap(({ then_lte: upper, then_gte: lower }) => [upper, lower])];
  return [...new Set(all)].filter((bound) => bound !== null);
}

function known(value: Possible): readonly Json[] {
  return value === undefined || value === UNKNOWN ? [] : [value];
}

/** The value of an entity. A session remembers only the hash of a long one, whose value comes from the linked values instead. */
function valuesOf(entity: string): readonly Json[] {
  const value = valueOfKey(entity);
  if (value !== undefined) return [value];
  cut("entities");
  return [];
}

/** A path in the arguments, and values for it that the state suggests. */
export interface Suggestion {
  readonly path: JsonPath;
  /** Values that likely pass. */
  readonly fitting: readonly Json[];
  /** Values close to them that likely do not pass. */
  readonly unfit: readonly Json[];
}

/** The values of a session that rules compare arguments with. */
export class Suggestions {
  constructor(
    private readonly program: Program,
    /** Whether to try the largest deviations that tolerances allow. */
    private readonly isRich: boolean,
  ) {}

  /** A number with the smallest and largest one within a fraction of it. */
  private withinTolerance(value: Json, fraction: number | null): readonly Json[] {
    if (!this.isRich || typeof value !== "number" || !fraction) return [value];
    const far = times(decimalOf(value), decimalOf(fraction));
    return [value, numberOf(plus(decimalOf(value), far)), numberOf(minus(decimalOf(value), far))];
  }

  of(tool: Tool, session: Session): readonly Suggestion[] {
    return [
      ...this.entities(tool, session),
      ...this.envelopeValues(tool, session),
      ...this.remainders(tool, session),
      ...checksOf(tool.compiled?.checks ?? [], "ref").map(({ path, slot, tolerance }) => {
        const fitting = known(present(session.slots.get(slot)));
        const unfit = fitting.flatMap((value) => outside(value, tolerance));
        return { path, fitting: fitting.flatMap((value) => this.withinTolerance(value, tolerance)), unfit };
      }),
    ];
  }

  /** Entities for which the required earlier call was made. */
  private entities(tool: Tool, { priors }: Session): readonly Suggestion[] {
    const checks = checksOf(tool.compiled?.checks ?? [], "precondition");
    return checks.flatMap((check) => {
      const { prior } = check;
      if (prior === null || prior.resource === null) return [];
      const { resource } = prior;
      const watch = watchOf(this.program, prior);
      const entities = watch === undefined ? [] : [...(priors[watch.index]?.keys() ?? [])];
      const fitting = last(entities, "entities").flatMap(valuesOf);
      return [{ path: resource, fitting, unfit: fitting.flatMap((value) => others(value, 2)) }];
    });
  }

  private envelopeValues(tool: Tool, session: Session): readonly Suggestion[] {
    return tool.stages.flatMap(({ envelope, stage }) => {
      if (stage.role !== "constrained" || stage.source === "output") return [];
      const references = [...(session.references[envelope]?.values() ?? [])].flatMap((writes) =>
        known(present(writes)),
      );
      const numbers = references.filter((value) => typeof value === "number");
      const band = this.program.envelopes[envelope]?.band ?? 0;
      const unfit = numbers.flatMap((value) => [
        value + 1 + 2 * band * Math.abs(value),
        value - 1 - 2 * band * Math.abs(value),
      ]);
      return [{ path: stage.path, fitting: numbers.flatMap((value) => this.withinTolerance(value, band)), unfit }];
    });
  }

  /** The amount that an aggregate still has room for, and a little more or less. */
  private remainders(tool: Tool, session: Session): readonly Suggestion[] {
    return tool.aggregates.flatMap((index) => {
      const aggregate = this.program.aggregates[index];
      const state = session.aggregates[index];
      if (aggregate === undefined || aggregate.path === null || state === undefined) return [];
      const { metric, path } = aggregate;
      if (metric === "count" || metric === "count_distinct") return [];
      const used = metric === "sum" ? aggregateValue(aggregate, index)(session) : 0;
      const rest = boundsOf(aggregate).map((bound) => bound - used);
      return [{ path, fitting: [], unfit: rest.flatMap((value) => [value, value + 1, value - 1]) }];
    });
  }
}
