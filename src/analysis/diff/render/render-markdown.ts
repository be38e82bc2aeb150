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
import { code, escaped, MARKED, markedLine, prose } from "./markdown-text.js";

/** The value of a setting is JSON, or readable as code. */
function cellOf({ what }: Change, text: string | null): string {
  if (text === null) return what === "setting" ? "" : "—";
  return what === "setting" ? code(text) : prose(text);
}

function changeRow(change: Change): string {
  const { what, name, tools, before, after } = change;
  const about = what === "setting" ? `${what}: ${escaped(name)}` : what;
  const shown = shownSentences(change).map((sentence) => `; ${escaped(sentence)}`);
  const result = `${cellOf(change, after)}${shown.join("")}`;
  const cells = [kindOf(change), about, escaped(toolsText(tools)), cellOf(change, before), result];
  return `| ${cells.join(" | ")} |`;
}

function divergenceBlock({ shown, others }: DivergenceGroup): readonly string[] {
  return [
    "<details>",
    `<summary>${escaped(headline(shown))}</summary>`,
    "",
    `${escaped(ruleLabel(shown))}: ${prose(shown.rule)}`,
    "",
    ...(others.length === 0 ? [] : [`The same of: ${escaped(toolsText(others))}`, ""]),
    ...sessionLines(shown, MARKED).map((line, at) => `${at + 1}. ${markedLine(line)}`),
    "",
    "</details>",
    "",
  ];
}

function reasonLine(reason: GateReason): string {
  const { label, place, text, tools } = reasonParts(reason);
  const words = reason.what === "setting" ? code(text) : prose(text);
  return `- ${label}: ${place === "" ? "" : `${code(place)}: `}${words}${tools === "" ? "" : ` (${escaped(tools)})`}`;
}

function packBlock(difference: Difference): readonly string[] {
  const { pack, changes, divergences } = difference;
  return [
    `### ${escaped(pack)}`,
    "",
    "| change | of | tools | before | after |",
    "| --- | --- | --- | --- | --- |",
    ...changes.map(changeRow),
    "",
    ...groupDivergences(divergences).flatMap(divergenceBlock),
    ...boundSentences(difference).flatMap((sentence) => [sentence, ""]),
  ];
}

function gateBlock(differences: readonly Difference[]): readonly string[] {
  if (differences.length === 0) return [];
  const reasons = differences.flatMap((difference) => gateOf(difference).reasons);
  return [gateVerdict(reasons), "", ...reasons.map(reasonLine), ...(reasons.length === 0 ? [] : [""])];
}

/** Differences as a comment on a pull request; all text of the packs is escaped, or shown as code. */
export function renderMarkdown(differences: readonly Difference[]): string {
  const lines = [
    `**${escaped(verdictOf(differences))}**`,
    "",
    ...gateBlock(differences),
    ...differences.flatMap(packBlock),
  ];
  return `${lines.join("\n").trimEnd()}\n`;
}
