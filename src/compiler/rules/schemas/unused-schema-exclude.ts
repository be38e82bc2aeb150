import { didYouMean, quoted } from "../../../diagnostics/wording.js";
import { canonicalPath } from "../../exclusions.js";
import { defineRule } from "../../rule.js";
import { eachName } from "../../rule-context.js";

interface Params {
  readonly path: string;
  readonly derivable: ReadonlySet<string>;
}

/** An exclusion that excludes nothing is probably misspelt. */
export const unusedSchemaExclude = defineRule<Params>({
  code: "unused_schema_exclude",
  stage: "resolve",
  severity: "warning",
  what: "A path in `schema_derived_exclude` excludes nothing.",
  why: "The tool's schema derives no check for that path, so the path is misspelt or the entry is out of date.",
  fix: "Correct the path, or remove the entry.",
  message: ({ path }) => `the tool's schema derives no check for ${quoted(path)}`,
  help: ({ path, derivable }) => didYouMean(path, derivable, "correct the path, or remove the entry"),
  check(context, report) {
    for (const { name, contract } of context.tools) {
      const schema = context.inputSchemas().get(name);
      if (schema === undefined || schema.problems.some(({ kind }) => kind === "bad_schema")) continue;
      const patterns = schema.problems.filter((problem) => problem.kind === "unsupported_schema_pattern");
      const derivable = new Set([
        ...schema.derived.map(({ path }) => path),
        ...patterns.flatMap(({ path }) => path ?? []),
      ]);
      for (const { name: path, span } of eachName(contract.schema_derived_exclude)) {
        if (!derivable.has(canonicalPath(path))) report(span, { path, derivable }, name);
      }
    }
  },
});
