import type { PackRule } from "../../artifact/pack-rules.js";
import { cleanLine, cleanLines } from "../../base/clean.js";
import { counted } from "../../diagnostics/wording.js";
import { sentenceOf } from "../../report/sentences.js";
import { type Mutation, mutationScore, type Survivor } from "./mutation-result.js";
import type { Extra } from "./render-tests.js";
import { scenarioYaml } from "./scenario-yaml.js";

function placeOf({ at }: PackRule): string {
  return at === null ? "session.yaml" : `${at.file}:${at.line}`;
}

/** The text of a file, after what the environment must have for it. */
function noticingText({ noticing }: Survivor): string | null {
  if (noticing === null) return null;
  const variables = Object.entries(noticing.env).map(([name, value]) => `${name}=${value}`);
  const needs = variables.length === 0 ? "" : `${cleanLine(`# needs in the environment: ${variables.join(" ")}`)}\n`;
  return `${needs}${scenarioYaml(noticing.scenario)}`;
}

/** One survivor; a scenario that was printed before is only named. */
function survivorText(survivor: Survivor, printed: Set<string>): string {
  const line = cleanLine(`SURVIVED ${placeOf(survivor.rule)} ${survivor.change}`);
  const text = noticingText(survivor);
  if (text === null) return `${line}\n# no session that notices it was found\n\n`;
  const name = survivor.noticing?.scenario.name ?? "";
  if (printed.has(name)) return `${line}\n${cleanLine(`# noticed too by: ${name}`)}\n\n`;
  printed.add(name);
  return `${line}\n# a scenario that notices it, for a file in tests/\n${cleanLines(text)}\n`;
}

function redundantLine(rule: PackRule): string {
  return `${cleanLine(`REDUNDANT ${placeOf(rule)} other rules refuse all that it refuses: ${sentenceOf(rule)}`)}\n`;
}

/** What became of the mutants, for a person. */
function renderMutationText(mutation: Mutation): string {
  const { killed, survivors, redundant, redundantRules } = mutation;
  const printed = new Set<string>();
  const counts = `${killed} killed, ${survivors.length} survived, ${redundant} with the same meaning`;
  return (
    redundantRules.map(redundantLine).join("") +
    survivors.map((each) => survivorText(each, printed)).join("") +
    `mutation score: ${mutationScore(mutation)} % (${counted(killed + survivors.length + redundant, "mutant")}: ${counts})\n`
  );
}

/** The same, for programs. */
function mutationJson(mutation: Mutation): object {
  const { killed, survivors, redundant } = mutation;
  return {
    ...{ score: mutationScore(mutation), killed, survived: survivors.length, redundant },
    survivors: survivors.map((each) => ({
      rule: { file: each.rule.at?.file ?? null, line: each.rule.at?.line ?? null },
      change: each.change,
      scenario: noticingText(each),
    })),
  };
}

/** What became of the mutants; one that survives is too many. */
export function mutationExtra(mutation: Mutation): Extra {
  const isEnough = mutation.survivors.length === 0;
  return { name: "mutation", json: mutationJson(mutation), text: renderMutationText(mutation), isEnough };
}
