import type { Severity } from "../diagnostics/diagnostic.js";
import { derivesNothing } from "./exclusions.js";
import { defineRule, type Rule } from "./rule.js";
import type { SchemaProblem, SchemaProblemKind } from "./schema/schema-problem.js";

interface SchemaRuleDefinition<K extends SchemaProblemKind> {
  readonly severity: Severity;
  readonly what: string;
  readonly why: string;
  readonly mend: string;
  readonly message: (problem: SchemaProblem<K>) => string;
  readonly help?: (problem: SchemaProblem<K>) => string | undefined;
}

function isOfKind<K extends SchemaProblemKind>(
  problem: SchemaProblem,
  kind: K,
): problem is Extract<SchemaProblem, SchemaProblem<K>> {
  return problem.kind === kind;
}

/** Declares the rule that words one kind of problem with the JSON Schemas of tools.json. */
export function defineSchemaRule<K extends SchemaProblemKind>(kind: K, definition: SchemaRuleDefinition<K>): Rule {
  return defineRule<SchemaProblem<K>>({
    ...definition,
    code: kind,
    stage: "resolve",
    check(context, report) {
      for (const [tool, { problems }] of [...context.inputSchemas(), ...context.outputSchemas()]) {
        for (const problem of problems) {
          // A path without derived checks needs no pattern.
          const isMended = problem.kind === "unsupported_schema_pattern" && derivesNothing(context, tool, problem.path);
          if (isOfKind(problem, kind) && !isMended) report(problem.span, problem, tool);
        }
      }
    },
  });
}
