import { parseProviderPattern } from "../base/provider-pattern.js";
import { TOOL_NAME } from "../base/tool-name.js";
import type { Span } from "../diagnostics/source.js";
import { parseJsonPath } from "./json-path.js";
import type { Problem } from "./problem.js";
import { parseRegex } from "./regex/parse-regex.js";

/** The one version of the contract language so far. */
export const LANGUAGE_VERSION = "1.0";

const STATUS = /^[1-5](?:[0-9]{2}|xx)$/;
/** A status, a class of them, or a word; anything else that starts with a digit can match no error. */
const ERROR_TOKEN = /^(?:[1-5](?:[0-9]{2}|xx)|[A-Za-z_]\S*)$/;

function pathProblem(path: string, span: Span, definite: boolean): Problem | null {
  const result = parseJsonPath(path);
  if (result.ok) return definite && result.path.kind !== "definite" ? { kind: "indefinite_path", span, path } : null;
  const { problem } = result;
  if (problem.kind === "filter") return { kind: "path_filter", span, path };
  return { kind: "bad_path", span, path, problem };
}

function regexProblem(regex: string, span: Span): Problem | null {
  const result = parseRegex(regex);
  if (result.ok) return null;
  const { problem } = result;
  if (problem.kind === "syntax") return { kind: "bad_regex", span, regex, problem };
  return { kind: "unsupported_regex", span, regex, problem };
}

type Judge = (text: string, span: Span) => Problem | null;

/** Every `format` of our schemas: the string either fits or has exactly one problem. */
export const FORMATS: ReadonlyMap<string, Judge> = new Map<string, Judge>([
  ["tool-name", (name, span) => (TOOL_NAME.test(name) ? null : { kind: "bad_tool_name", span, name })],
  [
    "tool-name-or-star",
    (name, span) => (name === "*" || TOOL_NAME.test(name) ? null : { kind: "bad_tool_name", span, name }),
  ],
  ["json-path", (path, span) => pathProblem(path, span, false)],
  ["definite-json-path", (path, span) => pathProblem(path, span, true)],
  ["linear-regex", regexProblem],
  ["http-status", (found, span) => (STATUS.test(found) ? null : { kind: "bad_status", span, found, codesToo: false })],
  [
    "error-token",
    (found, span) => (ERROR_TOKEN.test(found) ? null : { kind: "bad_status", span, found, codesToo: true }),
  ],
  [
    "provider-pattern",
    (found, span) => {
      const pattern = parseProviderPattern(found);
      return pattern.ok ? null : { kind: "bad_provider_pattern", span, found, message: pattern.message };
    },
  ],
  [
    "language-version",
    (found, span) =>
      found === LANGUAGE_VERSION ? null : { kind: "unsupported_version", span, found, unquoted: false },
  ],
]);
