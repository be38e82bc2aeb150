import { suggest } from "../../../base/suggest.js";
import { listed, quoted } from "../../../diagnostics/wording.js";
import { FAMILIES, type Version } from "../../../operators/operator.js";
import { operatorNames } from "../../operator-entries.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly key: string;
  readonly known: readonly string[];
  /** Keys that a later version of the language knows here. */
  readonly later: readonly string[];
  readonly where: string;
}

const OPERATORS: ReadonlySet<string> = new Set(FAMILIES.flatMap(operatorNames));

/** Whether a key is an operator of some place. */
export function isOperator(key: string): boolean {
  return OPERATORS.has(key);
}

/** True for a key that is an operator, but not one of this place. */
export function isMisplacedOperator({
  key,
  known,
}: {
  readonly key: string;
  readonly known: readonly string[];
}): boolean {
  return (
    (isOperator(key) || key === "tolerance") &&
    known.some(isOperator) &&
    (known.includes("path") || known.includes("binding"))
  );
}

/** The keys of a place that the version of a pack has; a pack whose version is not known is taken to have them all. */
export function presentKeys(
  { known, later }: { readonly known: readonly string[]; readonly later: readonly string[] },
  version: Version | null,
): readonly string[] {
  return version === "1.0" ? known.filter((key) => !later.includes(key)) : known;
}

/** Words of other languages for "one of these conditions": what to write depends on the place. */
function alternativesHelp(key: string, where: string, known: readonly string[]): string | undefined {
  if (!/^(?:any_?of|any|or)$/i.test(key)) return undefined;
  const values = known.includes("one_of") ? "for several values of one path write `one_of: […]`; " : "";
  if (/^checkpoints?\b/.test(where))
    return `${values}for several conditions list them under \`when\` with \`match: any\``;
  if (/^policy\b/.test(where))
    return `${values}for several conditions write an entry for each: one that matches is enough`;
  if (/^preconditions\b/.test(where))
    return "all entries must hold; where one of several tools is enough, let each of them lead to the phase that this tool is valid in";
  return values === ""
    ? undefined
    : `${values}all entries must hold, so alternatives between paths cannot be written here`;
}

/** A misspelt rule is never enforced. */
export const unknownKey = defineRule<Params>({
  code: "unknown_key",
  stage: "read",
  severity: "error",
  what: "A mapping has a key that the language does not know.",
  why: "A misspelt field would otherwise be a rule that silently does nothing.",
  fix: "Correct the spelling, or remove the key.",
  message: ({ key, where }) => `unknown key ${quoted(key)}${where === "" ? "" : ` in ${quoted(where)}`}`,
  help({ key, known, later, where }) {
    const alternatives = alternativesHelp(key, where, known);
    if (alternatives !== undefined) return alternatives;
    const meant = suggest(key, known) ?? suggest(key, later);
    if (meant !== undefined) return `did you mean ${quoted(meant)}?`;
    return known.length > 0 && known.length <= 12 ? `known here: ${listed(known, "and")}` : "remove it";
  },
  check(context, report) {
    for (const problem of context.problems("unknown_key")) {
      if (isMisplacedOperator(problem)) continue;
      report(problem.span, { ...problem, known: presentKeys(problem, context.version()) });
    }
  },
});
