import { cleanLine } from "../../../base/clean.js";
import type { Change, Difference, GateReason } from "../../difference.js";
import {
  boundSentences,
  type DivergenceGroup,
  gateVerdict,
  groupDivergences,
  headline,
  kindOf,
  reasonParts,
  ruleLabel,
  sessionLines,
  shownSentences,
  toolsText,
  verdictOf,
} from "../static/difference-words.js";
import { gateOf } from "../static/gate.js";

function changeLines(change: Change): readonly string[] {
  const { what, name, tools, before, after } = change;
  const about = what === "tool" || tools.length === 0 ? "" : ` [${toolsText(tools)}]`;
  const title = `  ${kindOf(change)} ${what}: ${name}${about}`;
  const titleSaysAll = before === null || after === null || before === after;
  const texts = titleSaysAll ? [] : [`    before: ${before}`, `    after:  ${after}`];
  return [title, ...texts, ...shownSentences(change).map((sentence) => `    ${sentence}`)];
}

function divergenceLines({ shown, others }: DivergenceGroup): readonly string[] {
  const steps = sessionLines(shown).map((line, at) => `    ${at + 1}. ${line}`);
  const same = others.length === 0 ? [] : [`    the same of: ${toolsText(others)}`];
  return [`  ${headline(shown)}`, `    ${ruleLabel(shown)}: ${shown.rule}`, ...same, ...steps];
}

function reasonLine(reason: GateReason): string {
  const { label, place, text, tools } = reasonParts(reason);
  return `  ${label}: ${place === "" ? "" : `${place}: `}${text}${tools === "" ? "" : ` [${tools}]`}`;
}

function packLines(difference: Difference): readonly string[] {
  const { pack, changes, divergences } = difference;
  return [
    `${pack}:`,
    ...changes.flatMap(changeLines),
    ...groupDivergences(divergences).flatMap((group) => ["", ...divergenceLines(group)]),
    ...boundSentences(difference).flatMap((sentence) => ["", `  ${sentence}`]),
  ];
}

/** Differences as plain text. */
export function renderText(differences: readonly Difference[]): string {
  const reasons = differences.flatMap((difference) => gateOf(difference).reasons);
  const gate = differences.length === 0 ? [] : [gateVerdict(reasons), ...reasons.map(reasonLine)];
  const packs = differences.flatMap((difference) => ["", ...packLines(difference)]);
  return `${[verdictOf(differences), ...gate, ...packs].map(cleanLine).join("\n")}\n`;
}
