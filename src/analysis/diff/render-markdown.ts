import type { Change, Difference, Divergence } from "../difference.js";
import { headline, kindOf, ruleLabel, sessionLines, verdictOf } from "./difference-words.js";

function entity(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}

/** Nothing in a name is markup, a mention, a link, a formula or the end of a table cell. */
function escaped(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ")
    .replace(/[&<>\\`*_[\]#!|~@$]/g, entity)
    .replace(/:(?=[\w+/-])|(?<=www)\./gi, entity);
}

function changeRow(change: Change): string {
  const { what, name, tools, before, after } = change;
  const cells = [kindOf(change), what, tools.join(", "), before ?? (what === "setting" ? "" : "—"), after ?? "—"];
  const [kind = "", kindOfThing = "", ...rest] = cells.map(escaped);
  return `| ${kind} | ${what === "setting" ? `${kindOfThing}: ${escaped(name)}` : kindOfThing} | ${rest.join(" | ")} |`;
}

function divergenceBlock(divergence: Divergence): readonly string[] {
  return [
    "<details>",
    `<summary>${escaped(headline(divergence))}</summary>`,
    "",
    `${escaped(ruleLabel(divergence))}: ${escaped(divergence.rule)}`,
    "",
    ...sessionLines(divergence).map((line, at) => `${at + 1}. ${escaped(line)}`),
    "",
    "</details>",
    "",
  ];
}

function packBlock({ pack, changes, divergences, isBounded }: Difference): readonly string[] {
  return [
    `### ${escaped(pack)}`,
    "",
    "| change | of | tools | before | after |",
    "| --- | --- | --- | --- | --- |",
    ...changes.map(changeRow),
    "",
    ...divergences.flatMap(divergenceBlock),
    ...(isBounded ? ["The search ended before it was complete: there may be more.", ""] : []),
  ];
}

/** Differences as a comment on a pull request; all text of the packs is escaped. */
export function renderMarkdown(differences: readonly Difference[]): string {
  const lines = [`**${escaped(verdictOf(differences))}**`, "", ...differences.flatMap(packBlock)];
  return `${lines.join("\n").trimEnd()}\n`;
}
