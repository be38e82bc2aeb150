import type { Span } from "../../../diagnostics/source.js";
import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { type CallOrder, callOrder } from "../../facts/call-order.js";
import { slotNeeds } from "../../facts/slot-needs.js";
import { type Arrival, phasesOf, Walks } from "../../facts/walks.js";
import type { NamedTool } from "../../named-tool.js";
import { defineRule } from "../../rule.js";
import type { RuleContext, Slot } from "../../rule-context.js";

interface Params {
  readonly tool: string;
  readonly slot: string;
  /** From the initial phase to the one in which the slot is not bound. */
  readonly walk: readonly string[];
  readonly producers: readonly { readonly span: Span; readonly tool: string }[];
}

/** At most this many tools that bind a slot, and phases at each end of a walk, are shown. */
const MOST_SHOWN = 3;
/** Following more moves for more slots would take longer than reading the pack. */
const MOST_STEPS = 1_000_000;

function pathOf(walk: readonly string[]): string {
  const names = walk.map(quoted);
  const isLong = names.length > 2 * MOST_SHOWN;
  const shown = isLong ? [...names.slice(0, MOST_SHOWN), "…", ...names.slice(-MOST_SHOWN)] : names;
  return shown.join(", ");
}

/** Where a slot may be bound for the first time; a tool that compares with it first needs it bound already. */
function bindingPhases(context: RuleContext, slot: string, binders: readonly NamedTool[]): ReadonlySet<string> {
  const order = callOrder(context);
  const needs = (tool: NamedTool) => slotNeeds(context, tool).some((need) => need.slot === slot);
  const first = binders.filter((tool) => order.isCallable(tool) && !needs(tool));
  return new Set(first.flatMap((tool) => order.phasesOf(tool)));
}

/** Finds for each reader of a slot a walk on which it stays unbound. */
class UnboundWalks {
  private readonly walks: Walks;
  private readonly order: CallOrder;
  private readonly arrivals = new Map<string, ReadonlyMap<string, Arrival>>();

  constructor(
    private readonly context: RuleContext,
    private readonly binders: ReadonlyMap<string, readonly NamedTool[]>,
  ) {
    this.walks = new Walks(context);
    this.order = callOrder(context);
  }

  /** The shortest walk into a phase of the tool on which nothing can bind the slot; null where there is none. */
  find(tool: NamedTool, slot: string): readonly string[] | null {
    const binders = this.binders.get(slot) ?? [];
    // A slot that nothing can ever bind is reported by another rule.
    if (!this.order.mayFollow(tool, binders)) return null;
    const phases = new Set(this.order.phasesOf(tool));
    for (const [phase, arrival] of this.arrivalsWithout(slot, binders)) {
      if (phases.has(phase) && this.priorsOn(arrival, tool)) return phasesOf(arrival);
    }
    return null;
  }

  private arrivalsWithout(slot: string, binders: readonly NamedTool[]): ReadonlyMap<string, Arrival> {
    const known = this.arrivals.get(slot) ?? this.walks.around(bindingPhases(this.context, slot, binders));
    this.arrivals.set(slot, known);
    return known;
  }

  /** Whether the prior tools can be called on the walk: otherwise it is they that keep the tool waiting. */
  private priorsOn(arrival: Arrival, { contract }: NamedTool): boolean {
    const priors = (contract.preconditions ?? []).flatMap(({ requires_prior_tool: name }) => {
      const prior = this.context.toolsByName.get(name ?? "");
      return prior === undefined ? [] : [prior];
    });
    if (priors.length === 0) return true;
    const walk = new Set(phasesOf(arrival));
    return priors.every(
      (prior) => this.order.isCallable(prior) && this.order.phasesOf(prior).some((phase) => walk.has(phase)),
    );
  }
}

/** A tool that is offered where every call is refused misleads the agent. */
export const refUnsetOnSomePath = defineRule<Params>({
  code: "ref_unset_on_some_path",
  stage: "graph",
  severity: "warning",
  what: "A `ref` or an expression of `requires` needs a slot that nothing can have bound on one of the paths to a phase of the tool.",
  why: "Both refuse the call as long as the slot is not set, so sessions that take that path are offered a tool they cannot call.",
  fix: "Bind the slot on that path too, close the path, or remove the phase from `valid_in_phases`.",
  message: ({ tool, slot, walk }) =>
    walk.length === 1
      ? `${quoted(tool)} is refused in ${pathOf(walk)}, where sessions start: nothing there binds ${quoted(slot)}`
      : `${quoted(tool)} is refused at the end of the path ${pathOf(walk)}: nothing on it binds ${quoted(slot)}`,
  help: ({ walk }) =>
    `bind the slot on that path too, close the path, or remove ${quoted(walk.at(-1) ?? "")} from \`valid_in_phases\``,
  related: ({ producers }) =>
    producers.map(({ span, tool }) => ({
      span,
      message: `it is bound here, but ${quoted(tool)} does not bind it there`,
    })),
  check(context, report) {
    const slots = context.slots() ?? new Map<string, readonly Slot[]>();
    // A tool that names no phases does not show on which paths it is meant to be called.
    const readers = context.tools.filter(({ contract }) => contract.transitions !== undefined);
    if (slots.size * context.graph().moves.length > MOST_STEPS) return;
    const walks = new UnboundWalks(
      context,
      new Map([...slots].map(([name, all]) => [name, all.map(({ tool }) => tool)])),
    );
    for (const tool of readers.filter((reader) => callOrder(context).isCallable(reader))) {
      for (const { slot, span } of slotNeeds(context, tool)) {
        const bound = slots.get(slot);
        const walk = bound === undefined ? null : walks.find(tool, slot);
        if (bound === undefined || walk === null) continue;
        const producers = bound
          .slice(0, MOST_SHOWN)
          .map((producer) => ({ span: valueSpan(producer.bind, "name"), tool: producer.tool.name }));
        report(span, { tool: tool.name, slot, walk, producers }, tool.name);
      }
    }
  },
});
