import type { CompiledAggregate, CompiledPack, CompiledTool } from "../../artifact/compiled.js";
import type { CompiledOperator } from "../../artifact/compiled-value.js";
import { canonicalJson } from "../../base/canonical-json.js";
import { present } from "../../guard/decide/worlds.js";
import type { Program, Tool } from "../../guard/program/program.js";
import { UNKNOWN } from "../../guard/session/call.js";
import type { Session } from "../../guard/session/session.js";
import type { Environment } from "../../guard/values/judge-value.js";
import { checksOf } from "../model/checks-of.js";
import { slotsRead } from "../model/cone-of-influence.js";
import { entryOf } from "../values/argument-rules.js";
import { judgeBy } from "../values/operator-values.js";
import { slotText, type Text } from "./session-text.js";

/** A number of a session. */
export type Counter = (session: Session) => number;

/** The parts of a session that are kept exactly, and those that are only counted. */
export interface Parts {
  readonly texts: readonly Text[];
  readonly counters: readonly Counter[];
}

/** -1 if the slot has a value that a call which must repeat it may have by its other rules; else 0. */
function presence(slot: string, operators: readonly CompiledOperator[], env: Environment): Counter {
  const served = new Map<unknown, number>();
  return ({ slots }) => {
    const value = present(slots.get(slot));
    if (value === undefined) return 0;
    if (value === UNKNOWN || operators.length === 0) return -1;
    const count = served.get(value) ?? (judgeBy(operators, value, env) === true ? -1 : 0);
    served.set(value, count);
    return count;
  };
}

/** What an aggregate requires of the value of one call: a number that does not exceed the bound alone. */
function summedBy({ metric, lte, when }: CompiledAggregate): readonly CompiledOperator[] {
  if (metric === "count" || metric === "count_distinct") return [];
  const bounds = [lte, ...when.map(({ then_lte: bound }) => bound)].filter((bound) => bound !== null);
  const isBound = metric !== "min" && bounds.length > 0;
  return [{ op: "type", value: "number" }, ...(isBound ? [{ op: "lte", value: Math.max(...bounds) } as const] : [])];
}

/** What the other rules of a tool require of the value at a path of its arguments. */
function askedAt({ checks }: CompiledTool, text: string, { aggregates }: CompiledPack): readonly CompiledOperator[] {
  return checks.flatMap((check) => {
    const entry = check.kind === "capture" ? null : entryOf(check);
    if (entry?.path.text === text) return entry.operators;
    const aggregate = check.kind === "aggregate" ? aggregates[check.index] : undefined;
    return aggregate?.path?.text === text ? summedBy(aggregate) : [];
  });
}

/** Counters of whether the value of a slot suits the calls that must repeat it. */
function serving(slot: string, { pack, env, collections }: Program): readonly Counter[] {
  if (collections.some(({ name }) => name === slot)) return [(session) => -(session.collections.get(slot)?.size ?? 0)];
  const byText = new Map<string, readonly CompiledOperator[]>([["", []]]);
  for (const tool of pack.tools) {
    for (const { path } of checksOf(tool.checks, "ref").filter((check) => check.slot === slot)) {
      const operators = askedAt(tool, path.text, pack);
      byText.set(canonicalJson(operators), operators);
    }
  }
  return [...byText.values()].map((operators) => presence(slot, operators, env));
}

/** Slots that a tool must repeat at some paths of its arguments. */
function repeatedAt({ checks }: CompiledTool, texts: readonly string[]): readonly string[] {
  return checks.flatMap((check) => (check.kind === "ref" && texts.includes(check.path.text) ? [check.slot] : []));
}

/** Slots whose values flow into known slots, or into the envelopes and preconditions of the tool in focus. */
function slotsInto({ tools, envelopes }: CompiledPack, focus: Tool | null, known: ReadonlySet<string>): Set<string> {
  const stages = (focus?.stages ?? []).flatMap(({ envelope }) => envelopes[envelope]?.stages ?? []);
  const entities = checksOf(focus?.compiled?.checks ?? [], "precondition").flatMap(({ prior }) =>
    prior?.resource ? [{ tool: prior.tool, path: prior.resource }] : [],
  );
  const read = [...stages.filter(({ source }) => source === "arguments"), ...entities];
  const slots = new Set(known);
  const sources = (tool: CompiledTool) => [
    ...read.filter((at) => at.tool === tool.name),
    ...tool.binds.filter(({ source, slot }) => source === "arguments" && slots.has(slot)),
  ];
  for (let before = -1; before < slots.size; ) {
    before = slots.size;
    for (const tool of tools) {
      for (const slot of repeatedAt(
        tool,
        sources(tool).map(({ path }) => path.text),
      ))
        slots.add(slot);
    }
  }
  return slots;
}

/** The slots: exact for those that the tool in focus reads and those that flow into them, counted for the others. */
export function slotParts(program: Program, focus: Tool | null): Parts {
  const { pack, aggregates } = program;
  const conditions = aggregates.flatMap(({ when }) => when.map(({ slot }) => slot));
  const read = new Set(pack.tools.flatMap((tool) => slotsRead(tool, pack)));
  const own = focus?.compiled ? slotsRead(focus.compiled, pack) : [...read];
  const exact = slotsInto(pack, focus, new Set([...conditions, ...own]));
  const texts = [...read].filter((slot) => exact.has(slot)).map(slotText);
  return { texts, counters: [...read].filter((slot) => !exact.has(slot)).flatMap((slot) => serving(slot, program)) };
}
