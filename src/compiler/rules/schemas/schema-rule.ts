import type { Severity } from "../../../diagnostics/diagnostic.js";
import { derivation } from "../../exclusions.js";
import { defineRule, type Rule } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";
import type { SchemaProblem, SchemaProblemKind } from "../../schema/schema-problem.js";

interface SchemaRuleDefinition<K extends SchemaProblemKind> {
  readonly severity: Severity;
  readonly what: string;
  readonly why: string;
  readonly fix: string;
  readonly message: (problem: SchemaProblem<K>) => string;
  readonly help?: (problem: SchemaProblem<K>) => string | undefined;
}

function isOfKind<K extends SchemaProblemKind>(
  problem: SchemaProblem,
  kind: K,
): problem is Extract<SchemaProblem, SchemaProblem<K>> {
  return problem.kind === kind;
}

/** Whether a problem matters: a pattern does only where the check derived from it, or the schema check, is in force. */
function enforcementOf(context: RuleContext, tool: string): (problem: SchemaProblem) => boolean {
  const derives = derivation(context, tool);
  return (problem) => {
    if (problem.kind !== "unsupported_schema_pattern") return true;
    return problem.path === null ? context.toolsByName.has(tool) : derives(problem.path);
  };
}

/** Declares the rule that words one kind of problem with the JSON Schemas of tools.json. */
export function defineSchemaRule<K extends SchemaProblemKind>(kind: K, definition: SchemaRuleDefinition<K>): Rule {
  return defineRule<SchemaProblem<K>>({
    ...definition,
    code: kind,
    stage: "resolve",
    check(context, report) {
      for (const [tool, { problems }] of context.inputSchemas()) {
        const isEnforced = enforcementOf(context, tool);
        for (const problem of problems)
          if (isOfKind(problem, kind) && isEnforced(problem)) report(problem.span, problem, tool);
      }
      // Outputs are not judged by their schema, so only an invalid schema is a mistake there.
      if (kind !== "bad_schema") return;
      for (const [tool, { problems }] of context.outputSchemas()) {
        for (const problem of problems) if (isOfKind(problem, kind)) report(problem.span, problem, tool);
      }
    },
  });
}
