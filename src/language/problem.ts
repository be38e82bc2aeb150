import type { TypeName } from "../base/json.js";
import type { Span } from "../diagnostics/source.js";
import type { PathProblem } from "./json-path.js";
import type { RegexProblem } from "./regex/parse-regex.js";

interface Details {
  unreadable_file: { readonly cause: string };
  file_too_large: { readonly bytes: number };
  not_utf8: { readonly byte: number };
  wrong_extension: { readonly name: string };
  yaml_syntax: { readonly message: string; readonly help: string };
  json_syntax: { readonly message: string };
  several_documents: object;
  too_deep: object;
  too_many_tokens: object;
  duplicate_key: { readonly key: string; readonly first: Span };
  non_string_key: { readonly found: string };
  merge_key: { readonly mapping: Span };
  custom_tag: { readonly tag: string };
  unknown_alias: { readonly name: string };
  alias_cycle: { readonly name: string };
  too_many_aliases: { readonly what: string };
  too_many_defaults: { readonly most: number };
  imprecise_number: { readonly text: string };
  /** `later` are those of the known keys that version 1.0 of the language lacks. */
  unknown_key: {
    readonly key: string;
    readonly known: readonly string[];
    readonly later: readonly string[];
    readonly where: string;
  };
  /** A key that version 1.0 of the language lacks: wrong only in a pack of that version. */
  later_key: { readonly key: string };
  missing_field: { readonly field: string; readonly where: string };
  wrong_type: { readonly where: string; readonly expected: readonly TypeName[]; readonly found: TypeName };
  unknown_value: {
    readonly where: string;
    readonly found: string;
    readonly known: readonly string[];
    readonly others: readonly TypeName[];
  };
  out_of_range: { readonly where: string; readonly found: number; readonly bound: string };
  empty_value: { readonly where: string; readonly what: string };
  too_few_stages: { readonly found: number };
  unsupported_version: { readonly found: string; readonly unquoted: boolean };
  empty_pack: object;
  bad_tool_definition: { readonly message: string };
  duplicate_definition: { readonly tool: string; readonly first: Span };
  bad_tool_name: { readonly name: string };
  bad_status: { readonly found: string; readonly codesToo: boolean };
  unknown_timezone: { readonly found: string };
  bad_provider_pattern: { readonly found: string; readonly message: string };
  bad_path: { readonly path: string; readonly problem: PathProblem & { readonly kind: "syntax" } };
  path_filter: { readonly path: string };
  indefinite_path: { readonly path: string; readonly isBind: boolean };
  bad_regex: { readonly regex: string; readonly problem: RegexProblem & { readonly kind: "syntax" } };
  unsupported_regex: { readonly regex: string; readonly problem: RegexProblem & { readonly kind: "unsupported" } };
}

/** The names of what a reader can find wrong before any rule looks at a contract. */
export type ProblemKind = keyof Details;

/** One thing a reader found wrong: facts only, the rule of the same name words them. */
export type Problem = {
  readonly [P in ProblemKind]: { readonly kind: P; readonly span: Span } & Details[P];
}[ProblemKind];

/** The problems of one kind. */
export type ProblemOf<K extends ProblemKind> = Extract<Problem, { readonly kind: K }>;
