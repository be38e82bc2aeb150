import type { CompiledAggregate, CompiledEnvelope } from "../artifact/compiled.js";
import { unreachable } from "../base/invariant.js";
import { amount, listed } from "../base/wording.js";
import { fact, named, percent } from "./sentence-words.js";

type Stage = CompiledEnvelope["stages"][number];

function measured(aggregate: CompiledAggregate): string {
  const { per } = aggregate;
  return `${valueOver(aggregate)}${per === undefined ? "" : `, for each value of ${per.text} apart,`}`;
}

function valueOver({ metric, path, tools }: CompiledAggregate): string {
  const of = tools === null ? "all tools" : listed(tools.map(named), "and");
  const value = path?.text ?? "calls";
  switch (metric) {
    case "sum":
      return `the sum of ${value} of ${of}`;
    case "count":
      return `the number of calls of ${of}`;
    case "max":
      return `the largest ${value} of ${of}`;
    case "min":
      return `the smallest ${value} of ${of}`;
    case "count_distinct":
      return `the number of different values of ${value} of ${of}`;
    default:
      return unreachable(metric);
  }
}

function bounds(gte: number | null, lte: number | null): string {
  if (gte !== null && lte !== null) return `between ${amount(gte)} and ${amount(lte)}`;
  return lte === null ? `at or above ${amount(gte ?? 0)}` : `at or below ${amount(lte)}`;
}

/** The limit of an aggregate, with its limits under conditions. */
export function aggregateSentence(aggregate: CompiledAggregate): string {
  const { gte, lte, when, reason } = aggregate;
  const others = when.map(({ slot, operators, then_gte: least, then_lte: most, at }) => {
    const path = { kind: "definite", text: `the remembered ${named(slot)}`, steps: [] } as const;
    return `; where ${fact({ at, path, operators })}, ${bounds(least ?? gte, most ?? lte)} instead`;
  });
  const base = gte === null && lte === null ? "is not limited" : `must stay ${bounds(gte, lte)}`;
  return `Over a session ${measured(aggregate)} ${base}${others.join("")}: ${reason}`;
}

function stageValue({ tool, path, source }: Stage): string {
  return source === "arguments" ? `${path.text} of ${named(tool)}` : `${path.text} of the output of ${named(tool)}`;
}

function limitOf({ constraint, band, stages }: CompiledEnvelope): string {
  const references = (role: Stage["role"]) =>
    listed(
      stages.filter((stage) => stage.role === role).map((stage) => `the latest ${stageValue(stage)}`),
      "or",
    );
  const start = references("initial");
  const from = start === "" ? "" : `, beginning with ${start}`;
  switch (constraint) {
    case "lte_ceiling":
      return `must stay at or below ${references("ceiling")}`;
    case "gte_floor":
      return `must stay at or above ${references("floor")}`;
    case "within_band":
      return `must stay within ${percent(band ?? 0)} of ${references("anchor")}`;
    case "bounded":
      return `must stay between ${references("floor")} and ${references("ceiling")}`;
    case "monotonic_decrease":
      return `must never grow from one call to the next${from}`;
    case "monotonic_increase":
      return `must never shrink from one call to the next${from}`;
    default:
      return unreachable(constraint);
  }
}

/** What an envelope requires of the values that it constrains, or of a given one. */
export function envelopeSentence(envelope: CompiledEnvelope, only?: Stage): string {
  const constrained = only === undefined ? envelope.stages.filter(({ role }) => role === "constrained") : [only];
  const subject = listed(constrained.map(stageValue), "and");
  return `The value ${subject} ${limitOf(envelope)}: ${envelope.reason}`;
}
