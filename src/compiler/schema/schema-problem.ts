import type { Span } from "../../diagnostics/source.js";
import type { RegexProblem } from "../../language/regex/regex-problem.js";

interface Details {
  bad_schema: { readonly message: string };
  unsupported_schema_keyword: { readonly keyword: string; readonly help: string };
  unsupported_schema_pattern: {
    readonly pattern: string;
    readonly problem: RegexProblem;
    /** The path whose exclusion fixes it; null where the pattern is part of the schema check. */
    readonly path: string | null;
  };
  unenforced_schema_keyword: { readonly keyword: string; readonly suggestion?: string };
}

/** The names of what can be wrong with a JSON Schema in tools.json. */
export type SchemaProblemKind = keyof Details;

/** One thing that is wrong with a JSON Schema: facts only, the rule of the same name words them. */
export type SchemaProblem<K extends SchemaProblemKind = SchemaProblemKind> = {
  readonly [P in K]: { readonly kind: P; readonly span: Span } & Details[P];
}[K];
