import { quoted } from "../../diagnostics/wording.js";
import { endOf, type Token } from "./tokens.js";

/** A word or sign of another language, with what to write. */
interface OtherOperator {
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly help: string;
}

/** What people write for an operator of CEL. */
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ["and", "&&"],
  ["or", "||"],
  ["not", "!"],
  ["is", "=="],
  ["=", "=="],
  ["&", "&&"],
  ["|", "||"],
  ["~", "!"],
  ["^", "!="],
  ["\u2264", "<="],
  ["\u2265", ">="],
  ["\u2260", "!="],
]);

const IMPLICATION = "write `!(condition) || \u2026`";

/** Operators of two parts, or words, that stand for none of CEL alone. */
const PHRASES: ReadonlyMap<string, string> = new Map([
  ["->", `for if/then ${IMPLICATION}`],
  ["=>", `for at least write \`>=\`, for if/then ${IMPLICATION}`],
  ["=<", "write `<=`"],
  ["not in", "write `!(item in list)`"],
  ["implies", IMPLICATION],
]);

function between(first: Token, last: Token, written: string, help: string): OtherOperator {
  return { start: first.start, end: endOf(last), message: `${quoted(written)} is no operator here`, help };
}

function phraseAt(first: Token | undefined, second: Token | undefined): OtherOperator | undefined {
  if (first === undefined) return undefined;
  const alone = PHRASES.get(first.text.toLowerCase());
  if (alone !== undefined) return between(first, first, first.text, alone);
  if (second === undefined) return undefined;
  const written = `${first.text}${first.kind === "word" ? " " : ""}${second.text}`;
  const help = PHRASES.get(written.toLowerCase());
  return help === undefined ? undefined : between(first, second, written, help);
}

/** A word or sign of another language that stands for an operator, where the parser stopped at one of the parts of a text. */
export function otherOperator(tokens: readonly Token[], position: number): OtherOperator | undefined {
  const [before, token, after] = [tokens[position - 1], tokens[position], tokens[position + 1]];
  const phrase = phraseAt(token, after) ?? phraseAt(before, token);
  if (phrase !== undefined) return phrase;
  // `not x` fails at `x`.
  for (const each of [token, before]) {
    const written = each?.text ?? "";
    const meant = OPERATORS.get(written.toLowerCase());
    if (each === undefined || meant === undefined) continue;
    if (written === "=" && (before?.text === "==" || before?.text === "!="))
      return between(before, each, `${before.text}=`, `write ${quoted(before.text)}`);
    return between(each, each, written, `write ${quoted(meant)}`);
  }
  return undefined;
}
