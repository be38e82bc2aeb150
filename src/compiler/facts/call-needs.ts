import type { NamedTool } from "../named-tool.js";
import type { RuleContext, Slot } from "../rule-context.js";
import { callOrder } from "./call-order.js";

/** Larger packs are skipped, and so are those whose values do not converge soon: nothing is known about them. */
const MOST_TOOLS = 400;
const MOST_PLACES = 20_000;
const MOST_ROUNDS = 60;

/** A committed call of one of these tools, other than the one that needs it, must come first. */
interface Need {
  readonly anyOf: readonly NamedTool[];
  /** Whether it must be in an earlier step. */
  readonly isEarlier: boolean;
}

/** A property of every call and phase, computed from what must come before it. */
export interface Measure<V> {
  /** At the start of a session. */
  readonly start: V;
  /** After one of two paths. */
  readonly either: (a: V, b: V) => V;
  /** After both. */
  readonly both: (a: V, b: V) => V;
  /** After a further call of the tool. */
  readonly call: (tool: NamedTool, before: V) => V;
  /** After the end of the step. */
  readonly nextStep: (value: V) => V;
  readonly isSame: (a: V, b: V) => boolean;
}

/** The result; without tools that are never called and phases that are never entered. */
export interface Measured<V> {
  readonly tools: ReadonlyMap<NamedTool, V>;
  readonly phases: ReadonlyMap<string, V>;
}

interface Place {
  readonly tool: NamedTool;
  readonly needs: readonly Need[];
  /** Null for a tool that every phase allows. */
  readonly phases: readonly string[] | null;
  readonly next: string | undefined;
}

/**
 * Which calls must come before which: the phase that a tool is valid in must have been entered, its prior tools called, the
 * slots it compares with bound. It is conservative: there may be more that must come first.
 */
export class CallNeeds {
  /** The tools that may be called, each after those that make it possible; null where the pack is too large. */
  private readonly places: readonly Place[] | null;
  /** The work of one round. */
  readonly size: number;

  constructor(private readonly context: RuleContext) {
    const order = callOrder(context);
    const slots = context.slots() ?? new Map<string, readonly Slot[]>();
    const binders = new Map([...slots].map(([name, bound]) => [name, bound.map(({ tool }) => tool)]));
    const places = context.tools
      .filter((tool) => order.isCallable(tool))
      .map((tool) => ({
        tool,
        needs: this.needsOf(tool, binders),
        phases: tool.contract.transitions === undefined ? null : order.phasesOf(tool),
        next: tool.contract.transitions?.advances_to,
      }));
    this.size = places.reduce((sum, { needs, phases }) => sum + 1 + sizeOf(needs) + (phases?.length ?? 0), 0);
    this.places = places.length > MOST_TOOLS || this.size > MOST_PLACES ? null : this.inOrder(places);
  }

  /** Null where the pack is too large or does not converge. */
  measure<V>(measure: Measure<V>): Measured<V> | null {
    if (this.places === null) return null;
    const run = new Run(measure, this.context.graph().initial);
    for (let round = 0; round < MOST_ROUNDS; round++) if (!run.round(this.places)) return run;
    return null;
  }

  private needsOf({ contract }: NamedTool, binders: ReadonlyMap<string, readonly NamedTool[]>): readonly Need[] {
    const priors = (contract.preconditions ?? []).flatMap(({ requires_prior_tool: name }) => {
      const prior = this.context.toolsByName.get(name ?? "");
      return prior === undefined ? [] : [{ anyOf: [prior], isEarlier: true }];
    });
    const refs = (contract.argument_value_invariants ?? []).flatMap(({ ref }) =>
      ref === undefined ? [] : [{ anyOf: binders.get(ref) ?? [], isEarlier: false }],
    );
    return [...priors, ...refs];
  }

  /** Without tools whose needs can never be met. */
  private inOrder(places: readonly Place[]): readonly Place[] {
    const called = new Set<NamedTool>();
    const { initial } = this.context.graph();
    const entered = new Set(initial === null ? [] : [initial]);
    const found: Place[] = [];
    let waiting = places;
    for (let before = -1; before < found.length; ) {
      before = found.length;
      waiting = waiting.filter((place) => {
        const isPossible =
          place.needs.every(({ anyOf }) => anyOf.some((tool) => called.has(tool))) &&
          (place.phases?.some((phase) => entered.has(phase)) ?? true);
        if (!isPossible) return true;
        found.push(place);
        called.add(place.tool);
        if (place.next !== undefined) entered.add(place.next);
        return false;
      });
    }
    return found;
  }
}

function sizeOf(needs: readonly Need[]): number {
  return needs.reduce((sum, { anyOf }) => sum + anyOf.length, 0);
}

/** Values of one measure, refined in every round. */
class Run<V> implements Measured<V> {
  readonly tools = new Map<NamedTool, V>();
  readonly phases: Map<string, V>;

  constructor(
    private readonly measure: Measure<V>,
    initial: string | null,
  ) {
    this.phases = new Map(initial === null ? [] : [[initial, measure.start]]);
  }

  /** Whether anything changed. */
  round(places: readonly Place[]): boolean {
    let hasChanged = false;
    for (const { tool, needs, phases, next } of places) {
      const needed = this.needed(tool, needs);
      if (needed === undefined) continue;
      for (const before of this.starts(phases)) {
        const value = this.measure.call(tool, this.measure.both(before, needed));
        hasChanged = this.lower(this.tools, tool, value) || hasChanged;
        if (next !== undefined) hasChanged = this.lower(this.phases, next, value) || hasChanged;
      }
    }
    return hasChanged;
  }

  private starts(phases: readonly string[] | null): readonly V[] {
    // A tool that every phase allows may be called at the start.
    if (phases === null) return [this.measure.start];
    return phases.flatMap((phase) => {
      const value = this.phases.get(phase);
      return value === undefined ? [] : [value];
    });
  }

  private needed(own: NamedTool, needs: readonly Need[]): V | undefined {
    let needed = this.measure.start;
    for (const { anyOf, isEarlier } of needs) {
      let least: V | undefined;
      for (const tool of anyOf) {
        const value = tool === own ? undefined : this.tools.get(tool);
        if (value !== undefined) least = least === undefined ? value : this.measure.either(least, value);
      }
      if (least === undefined) return undefined;
      needed = this.measure.both(needed, isEarlier ? this.measure.nextStep(least) : least);
    }
    return needed;
  }

  private lower<K>(values: Map<K, V>, key: K, value: V): boolean {
    const known = values.get(key);
    const least = known === undefined ? value : this.measure.either(known, value);
    if (known !== undefined && this.measure.isSame(known, least)) return false;
    values.set(key, least);
    return true;
  }
}

const known = new WeakMap<RuleContext, CallNeeds>();

/** What calls need in a pack, computed once for all rules. */
export function callNeeds(context: RuleContext): CallNeeds {
  const needs = known.get(context) ?? new CallNeeds(context);
  known.set(context, needs);
  return needs;
}
