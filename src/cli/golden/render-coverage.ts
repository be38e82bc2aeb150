import { cleanLine } from "../../base/clean.js";
import type { RuleSides } from "../../report/rule-sides.js";
import { sentenceOf } from "../../report/sentences.js";
import type { Extra } from "./render-tests.js";

/** The sides of a rule that can be exercised, and whether each was. */
function sidesOf({ canPass, passed, refused }: RuleSides): readonly boolean[] {
  return canPass ? [passed, refused] : [refused];
}

/** How much of the rules was exercised: the share of their sides, rounded down, so that 100 is all of them. */
function coveredPercent(sides: readonly RuleSides[]): number {
  const all = sides.flatMap(sidesOf);
  return all.length === 0 ? 100 : Math.floor((100 * all.filter((isCovered) => isCovered).length) / all.length);
}

function missing({ canPass, passed, refused }: RuleSides): string {
  const sides = [...(canPass && !passed ? ["passing"] : []), ...(refused ? [] : ["refusing"])];
  return `not exercised on its ${sides.join(" and its ")} side`;
}

/** One line, whatever the names in the pack are. */
function uncoveredLine(sides: RuleSides): string {
  const { at } = sides.rule;
  const where = at === null ? "session.yaml" : `${at.file}:${at.line}`;
  return `${cleanLine(`UNCOVERED ${where} ${missing(sides)}: ${sentenceOf(sides.rule)}`)}\n`;
}

/** The rules that are not fully exercised, for a person, and the percentage. */
function renderCoverageText(sides: readonly RuleSides[]): string {
  const uncovered = sides.filter((each) => sidesOf(each).includes(false));
  const covered = sides.length - uncovered.length;
  return `${uncovered.map(uncoveredLine).join("")}coverage: ${coveredPercent(sides)} % (${covered} of ${sides.length} rules on every side)\n`;
}

/** The same, for programs. `passed` is null where no call can pass the rule. */
function coverageJson(sides: readonly RuleSides[]): object {
  return {
    percent: coveredPercent(sides),
    rules: sides.map(({ rule: { id, at, tools }, canPass, passed, refused }) => ({
      ...{ id, file: at?.file ?? null, line: at?.line ?? null, tools },
      ...{ passed: canPass ? passed : null, refused },
    })),
  };
}

/** What the tests exercise; below the percentage it is not enough. */
export function coverageExtra(sides: readonly RuleSides[], min: number): Extra {
  const isEnough = coveredPercent(sides) >= min;
  return { name: "coverage", json: coverageJson(sides), text: renderCoverageText(sides), isEnough };
}
