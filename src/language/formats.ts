import { parseProviderPattern } from "../base/provider-pattern.js";
import { isTimeZone } from "../base/time-zone.js";
import { TOOL_NAME } from "../base/tool-name.js";
import { fileSpan, type Span } from "../diagnostics/source.js";
import { VERSIONS } from "../operators/operator.js";
import type { FormatTests } from "./contract-schemas.js";
import { parseJsonPath } from "./json-path.js";
import type { Problem } from "./problem.js";
import { parseRegex } from "./regex/parse-regex.js";

/** An HTTP status, or a class of them. */
export const STATUS = /^[1-5](?:[0-9]{2}|xx)$/;
/** Anything else that starts with a digit can match no error. */
const ERROR_CODE = /^[A-Za-z_]\S*$/;

function pathProblem(path: string, span: Span, definite: boolean): Problem | null {
  const result = parseJsonPath(path);
  if (result.ok)
    return definite && result.path.kind !== "definite" ? { kind: "indefinite_path", span, path, isBind: false } : null;
  const { problem } = result;
  if (problem.kind === "filter") return { kind: "path_filter", span, path };
  return { kind: "bad_path", span, path, problem };
}

/** A key is read by a definite path: from `$`, or from `@`, which is a match of the path beside it. */
function keyProblem(path: string, span: Span): Problem | null {
  const problem = pathProblem(path.startsWith("@") ? `$${path.slice(1)}` : path, span, true);
  return problem === null || !("path" in problem) ? problem : { ...problem, path };
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
  ["key-path", keyProblem],
  ["linear-regex", regexProblem],
  ["http-status", (found, span) => (STATUS.test(found) ? null : { kind: "bad_status", span, found, codesToo: false })],
  [
    "error-token",
    (found, span) =>
      STATUS.test(found) || ERROR_CODE.test(found) ? null : { kind: "bad_status", span, found, codesToo: true },
  ],
  [
    "provider-pattern",
    (found, span) => {
      const pattern = parseProviderPattern(found);
      return pattern.ok ? null : { kind: "bad_provider_pattern", span, found, message: pattern.message };
    },
  ],
  ["time-zone", (found, span) => (isTimeZone(found) ? null : { kind: "unknown_timezone", span, found })],
  [
    "language-version",
    (found, span) =>
      VERSIONS.some((version) => version === found)
        ? null
        : { kind: "unsupported_version", span, found, unquoted: false },
  ],
]);

/** For each `format`, whether a text fits it. */
export function formatTests(): FormatTests {
  const anywhere = fileSpan({ name: "", text: "" });
  const tests = [...FORMATS].map(([name, judge]) => [name, (text: string) => judge(text, anywhere) === null] as const);
  return Object.fromEntries(tests);
}
