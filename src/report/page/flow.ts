import type {
  CompiledAggregate,
  CompiledEnvelope,
  CompiledPack,
  CompiledSlot,
  CompiledTool,
} from "../../artifact/compiled.js";
import type { Place } from "../../artifact/compiled-value.js";
import { slotsIn } from "../../artifact/expression-parts.js";
import { slotsOfCheck } from "../../artifact/slots-of-check.js";
import { html, type Markup, type Part } from "../markup.js";
import { percent, stop } from "../sentence-words.js";
import { aggregateSentence, envelopeSentence } from "../session-value-sentences.js";
import { filterData, placeLink, sentence, toolLink } from "./parts.js";
import type { PackView } from "./view.js";

/** A value that flows into or out of a node: text around its tool. */
interface End {
  readonly tool: string;
  readonly before: string;
  readonly after: string;
  /** Null if the whole flow is written in one place. */
  readonly at: Place | null;
}

/** A node that values flow into, and what is compared with it. */
interface Flow {
  readonly kind: string;
  readonly name: string;
  readonly words: string | null;
  readonly at: Place | null;
  readonly from: readonly End[];
  /** Null if it is compared only with its own limit. */
  readonly to: readonly End[] | null;
}

/** After this number of tools at one end, the rest unfolds. */
const MOST_ENDS = 6;

function valueOfTool(tool: string, source: "arguments" | "output", path: string): End {
  return { tool, before: source === "output" ? `${path} of the result of ` : `${path} of `, after: "", at: null };
}

function references({ name, checks }: CompiledTool, slot: string): readonly End[] {
  return checks.flatMap((check) => {
    if (check.kind !== "ref" || check.slot !== slot) return [];
    const within = check.tolerance === null ? "" : ` to within ${percent(check.tolerance)}`;
    return [{ ...valueOfTool(name, "arguments", check.path.text), after: ` must equal it${within}`, at: check.at }];
  });
}

const READERS = { requires: "a requirement of ", checkpoint: "a checkpoint of " } as const;

/** The expressions of a tool that read a slot. */
function readers({ name: tool, checks, ensures = [] }: CompiledTool, slot: string): readonly End[] {
  const after = " reads it";
  const judged = checks.flatMap((check) => {
    if ((check.kind !== "requires" && check.kind !== "checkpoint") || !slotsOfCheck(check).has(slot)) return [];
    return [{ tool, before: READERS[check.kind], after, at: check.at }];
  });
  const ensured = ensures.filter(({ that }) => slotsIn(that.tree).has(slot));
  return [...judged, ...ensured.map(({ at }) => ({ tool, before: "a guarantee of ", after, at }))];
}

const SLOTS: Readonly<Record<CompiledSlot["kind"], string>> = {
  plain: "remembered value",
  keyed: "remembered values by key",
  union: "set of remembered values",
};

function slotFlow({ tools, aggregates, slots = [] }: CompiledPack, slot: string): Flow {
  const from = tools.flatMap(({ name, binds }) =>
    binds
      .filter((bind) => bind.slot === slot)
      .map(({ source, path, at }) => ({ ...valueOfTool(name, source, path.text), at })),
  );
  const limits = aggregates
    .filter(({ when }) => when.some((override) => override.slot === slot))
    .map(({ name, at }) => ({ tool: name, before: "the limit of ", after: " depends on it", at }));
  const to = [...tools.flatMap((tool) => [...references(tool, slot), ...readers(tool, slot)]), ...limits];
  const kind = SLOTS[slots.find(({ name }) => name === slot)?.kind ?? "plain"];
  return { kind, name: slot, words: null, at: null, from, to };
}

function envelopeFlow(envelope: CompiledEnvelope): Flow {
  const ends = (isConstrained: boolean) =>
    envelope.stages
      .filter(({ role }) => (role === "constrained") === isConstrained)
      .map(({ tool, source, path, role }) => ({
        ...valueOfTool(tool, source, path.text),
        after: isConstrained ? "" : ` (${role})`,
      }));
  const { name, at } = envelope;
  return {
    kind: "limit set by a value",
    name,
    words: envelopeSentence(envelope),
    at,
    from: ends(false),
    to: ends(true),
  };
}

const METRICS: Readonly<Record<CompiledAggregate["metric"], string>> = {
  sum: "sum over the session",
  count: "count over the session",
  max: "largest value of the session",
  min: "smallest value of the session",
  count_distinct: "different values of the session",
};

function aggregateFlow(aggregate: CompiledAggregate, { tools }: CompiledPack): Flow {
  const { name, at, path, metric } = aggregate;
  const from = (aggregate.tools ?? tools.map((tool) => tool.name)).map((tool) =>
    path === null ? { tool, before: "each call of ", after: "", at: null } : valueOfTool(tool, "arguments", path.text),
  );
  return { kind: METRICS[metric], name, words: aggregateSentence(aggregate), at, from, to: null };
}

function flowsOf(pack: CompiledPack): readonly Flow[] {
  const slots = new Set(pack.tools.flatMap(({ binds }) => binds.map(({ slot }) => slot)));
  return [
    ...[...slots].sort().map((slot) => slotFlow(pack, slot)),
    ...pack.envelopes.map(envelopeFlow),
    ...pack.aggregates.map((aggregate) => aggregateFlow(aggregate, pack)),
  ];
}

function endMarkup(view: PackView, { tool, before, after, at }: End): Markup {
  return html`<li>${sentence(view, before)}${toolLink(view, tool)}${after} ${placeLink(view.sources, at)}</li>`;
}

function ends(view: PackView, list: readonly End[], none: string): Markup {
  if (list.length === 0) return html`<p class="ends quiet">${none}</p>`;
  const items = list.map((end) => endMarkup(view, end));
  const rest = items.slice(MOST_ENDS);
  const more =
    rest.length === 0
      ? null
      : html`<li><details class="more"><summary>and ${rest.length} more</summary><ul class="ends">${rest}</ul></details></li>`;
  return html`<ul class="ends">${items.slice(0, MOST_ENDS)}${more}</ul>`;
}

const ARROW = html`<span class="arrow" aria-hidden="true"></span>`;

function flowRow(view: PackView, { kind, name, words, at, from, to }: Flow): Markup {
  const tools = [...from, ...(to ?? [])].map(({ tool }) => tool);
  const middle = html`<div class="hub"><span class="quiet">${kind}</span><strong><code>${name}</code></strong></div>`;
  const right = to === null ? null : [ARROW, ends(view, to, "nothing reads it")];
  const rule =
    words === null
      ? null
      : html`<p class="under">${sentence(view, stop(words), { isBrief: true })} ${placeLink(view.sources, at)}</p>`;
  return html`<li class="flow" ${filterData(view, tools)}><div class="lane">${ends(view, from, "nothing sets it")}${ARROW}${middle}${right}</div>${rule}</li>
`;
}

/** The values that calls write, and the later calls that are compared with them. */
export function dataFlow(view: PackView): { readonly count: number; readonly body: Part } {
  const flows = flowsOf(view.pack);
  const none = html`<p class="quiet">Nothing is remembered from one call to the next.</p>`;
  const hint = html`<p class="hint">From left to right: where a value comes from, what the session keeps, and what is compared with it.</p>`;
  return {
    count: flows.length,
    body: flows.length === 0 ? none : [hint, html`<ul class="flows">${flows.map((flow) => flowRow(view, flow))}</ul>`],
  };
}
