import type { Expression, FunctionName } from "../../artifact/expression.js";
import { quoted } from "../../diagnostics/wording.js";
import { parseRegex, type RegexProblem } from "../../language/regex/parse-regex.js";
import { durationProblem, isZone, timeOf } from "./literals.js";
import type { CelNode } from "./parse-expression.js";
import type { Range, Reader, Refusal } from "./reader.js";

interface OperandProblem extends Refusal {
  readonly node: CelNode;
}

function textOf(node: CelNode | undefined): string | null {
  return node?.op === "value" && typeof node.args === "string" ? node.args : null;
}

function timeProblem(reader: Reader, node: CelNode, text: string): OperandProblem | null {
  const time = timeOf(text);
  if (time === "with offset") return null;
  if (time === "no time") {
    const help = 'write RFC 3339: `timestamp("2024-05-15T09:00:00Z")`, or a date alone';
    return { kind: "bad_time", node, message: `${quoted(text)} is no time`, help };
  }
  if (reader.surroundings.hasTimezone !== false) return null;
  const help = "add an offset, as in `2024-05-15T09:00:00-05:00`, or set `timezone` in session.yaml";
  return {
    kind: "bad_time",
    node,
    message: `${quoted(text)} has no offset, and the session has no \`timezone\``,
    help,
  };
}

/** What is wrong with operands whose text is known: it could never be judged. */
export function literalProblem(
  reader: Reader,
  name: FunctionName | "matches",
  operands: readonly CelNode[],
): OperandProblem | null {
  const [first, second] = operands;
  const text = textOf(first);
  if (name === "duration" && first !== undefined && text !== null) {
    const problem = durationProblem(text);
    return problem === null ? null : { kind: "bad_time", node: first, ...problem };
  }
  if (name === "timestamp" && first !== undefined && text !== null) return timeProblem(reader, first, text);
  if (second === undefined) return null;
  const other = textOf(second);
  if (name.startsWith("get") && other !== null && !isZone(other)) {
    const help = "write an IANA name such as `Europe/Berlin`, or an offset such as `+02:00`";
    return { kind: "bad_time", node: second, message: `${quoted(other)} is no time zone`, help };
  }
  if (name === "split" && other === null) {
    const help = 'write the separator as a text: `x.split(",")`';
    return { kind: "bad_expression", node: second, message: "`split` takes a literal separator", help };
  }
  if (name === "matches" && other === null) {
    const help = 'write the pattern as a text: `x.matches(r"^[A-Z]{3}$")`';
    return { kind: "bad_expression", node: second, message: "`matches` takes a literal pattern", help };
  }
  return null;
}

function wordsOf(problem: RegexProblem): { readonly message: string; readonly help: string } {
  return problem.kind === "syntax"
    ? {
        message: `the pattern cannot be read: ${problem.message}`,
        help: "patterns are those of JavaScript with the flag `u`",
      }
    : {
        message: `the pattern has a ${problem.construct}, which is not supported`,
        help: "write it without: matching takes linear time",
      };
}

/** The place of a character of a pattern; of a text with escapes the whole. */
function placeIn(reader: Reader, node: CelNode, offset: number): Range {
  const written = reader.source.text.slice(node.start, node.end);
  const opening = /^[rR]?(?:"""|'''|"|')/.exec(written)?.[0] ?? "";
  if (!/^r/i.test(written) && written.includes("\\")) return node;
  const start = Math.min(node.start + opening.length + offset, node.end - 1);
  return { start, end: start + 1 };
}

/** `x.matches(r"…")` with the pattern read. */
export function readMatches(reader: Reader, node: CelNode, [text, pattern]: readonly CelNode[]): Expression {
  const source = textOf(pattern);
  if (text === undefined || pattern === undefined || source === null)
    return reader.refuse(node, {
      kind: "bad_expression",
      message: "`matches` takes a text and a pattern",
      help: 'write `x.matches(r"…")`',
    });
  if (source.includes("\b"))
    return reader.refuse(pattern, {
      kind: "bad_expression",
      message: "`\\b` is the character backspace in a text, not an escape of the pattern",
      help: 'write `r"…"`, where a backslash is a backslash',
    });
  const result = parseRegex(source);
  const of = reader.count(1).read(text);
  if (result.ok) return { kind: "matches", of, pattern: result.pattern };
  return reader.refuse(placeIn(reader, pattern, result.problem.offset), {
    kind: "bad_expression",
    ...wordsOf(result.problem),
  });
}
