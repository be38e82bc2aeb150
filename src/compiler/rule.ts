import type { RelatedPlace, Severity } from "../diagnostics/diagnostic.js";
import type { Span } from "../diagnostics/source.js";
import type { Finding } from "./finding.js";
import type { RuleContext } from "./rule-context.js";

/**
 * When a rule runs. `read` and `resolve` findings of all files come in one run;
 * `graph` rules run only when those found no error, so they may assume that every name resolves.
 */
export type Stage = "read" | "resolve" | "graph";

/** A diagnostic rule, ready to run. */
export interface Rule {
  readonly code: string;
  readonly stage: Stage;
  readonly severity: Severity;
  /** What the rule finds, why that matters, how to fix it: one sentence each, for `contracts explain`. */
  readonly what: string;
  readonly why: string;
  readonly fix: string;
  run(context: RuleContext, emit: (finding: Finding) => void): void;
}

/** Reports a finding at a place; `tool` is the tool it is about, for suppressions. */
export type Report<P> = (span: Span, params: P, tool?: string) => void;

/** How a finding of a rule is worded. */
export interface Wording<P> {
  readonly what: string;
  readonly why: string;
  readonly fix: string;
  readonly message: (params: P) => string;
  readonly help?: (params: P) => string | undefined;
  readonly related?: (params: P) => readonly RelatedPlace[];
}

interface RuleDefinition<P> extends Wording<P> {
  readonly code: string;
  readonly stage: Stage;
  readonly severity: Severity;
  /** Whether a finding of a rule for warnings is an error all the same: one that would make the artifact unsafe. */
  readonly isError?: (params: P) => boolean;
  readonly check: (context: RuleContext, report: Report<P>) => void;
}

/** Declares one rule: `check` finds, `message` and `help` word what it found. */
export function defineRule<P>(definition: RuleDefinition<P>): Rule {
  const { code, stage, severity, what, why, fix } = definition;
  return {
    code,
    stage,
    severity,
    what,
    why,
    fix,
    run(context, emit) {
      definition.check(context, (span, params, tool) => {
        const help = definition.help?.(params);
        const related = definition.related?.(params);
        emit({
          code,
          severity: definition.isError?.(params) === true ? "error" : severity,
          span,
          message: definition.message(params),
          ...(help === undefined ? {} : { help }),
          ...(related === undefined ? {} : { related }),
          ...(tool === undefined ? {} : { tool }),
        });
      });
    },
  };
}
