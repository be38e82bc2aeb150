import { quoted } from "../../diagnostics/wording.js";
import type { ExpressionProblem } from "./expression-problem.js";
import type { ExpressionText } from "./expression-text.js";
import { signatureOf } from "./functions.js";
import { otherOperator } from "./other-operator.js";
import { endOf, type Token, tokensOf } from "./tokens.js";

/** What the parser of the library stumbled over. */
export interface SyntaxFailure {
  readonly code: string;
  readonly start: number;
  readonly end: number;
}

interface Advice {
  readonly kind?: ExpressionProblem["kind"];
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly help: string;
}

/** The failure with the parts of the text around it. */
interface Place extends SyntaxFailure {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly position: number;
  /** The first part at or after the failure; undefined at the end. */
  readonly token: Token | undefined;
  readonly before: Token | undefined;
}

const CURLY_QUOTES = /^[\u2018-\u201f]$/;

function at(token: Token, message: string, help: string): Advice {
  return { start: token.start, end: endOf(token), message, help };
}

function otherSign({ token, before, start }: Place): Advice | undefined {
  if (token === undefined) return undefined;
  const { text: sign } = token;
  if (sign === "{" && before?.kind === "word") {
    const message = `${quoted(`${before.text}{…}`)} would make a message, and values here are JSON`;
    return {
      kind: "unsupported_expression",
      start: before.start,
      end: endOf(token),
      message,
      help: 'write a map: `{"name": value}`',
    };
  }
  if (sign === "#") return at(token, "`#` begins no comment in an expression", "write `// …`");
  if (sign === "`") return at(token, "a name in backticks is not supported", 'write `x["the name"]`');
  if (sign === "$" || sign === "@")
    return at(
      token,
      `${quoted(sign)} starts a JSONPath, and this is an expression`,
      "write `args.name` for an argument",
    );
  if (CURLY_QUOTES.test(sign)) return at(token, "a text needs straight quotes", 'write `"…"`');
  if (sign === ">" && before?.text === "<")
    return { start: before.start, end: endOf(token), message: "`<>` is no operator here", help: "write `!=`" };
  if (sign === "." && before?.text === "?") {
    const message = "optional values are not supported";
    const help = "test the presence of a member with `has(x.name)`";
    return { kind: "unsupported_expression", start: before.start, end: endOf(token), message, help };
  }
  if (sign === "." && token.start === start && before?.kind !== "word" && before?.kind !== "number")
    return at(token, "a number starts with a digit", "write `0.5`, not `.5`");
  return undefined;
}

function endOfText({ text, tokens }: Place): Advice {
  const last = tokens.at(-1);
  if (last === undefined) {
    return {
      start: 0,
      end: text.length,
      message: "the expression is empty",
      help: "write a condition, such as `args.amount <= 100`",
    };
  }
  const open: Token[] = [];
  for (const token of tokens) {
    if (token.kind !== "sign") continue;
    if ("([{".includes(token.text)) open.push(token);
    else if (")]}".includes(token.text)) open.pop();
  }
  const opened = open.at(-1);
  if (opened !== undefined)
    return at(
      opened,
      `${quoted(opened.text)} is not closed`,
      "close it, and put the whole expression into a block: `that: |`",
    );
  if (tokens.some(({ text: sign }) => sign === "?"))
    return at(last, "`? :` has no third part", "write `condition ? value : other`");
  return at(
    last,
    `the expression ends after ${quoted(last.text)}`,
    "complete it, and put the whole expression into a block: `that: |`",
  );
}

function afterDot({ token, before, text }: Place): Advice | undefined {
  if (before?.text !== "." || token === undefined) return undefined;
  if (token.kind === "word") {
    return at(
      token,
      `${quoted(token.text)} cannot follow a dot`,
      `write \`["${token.text}"]\` instead of \`.${token.text}\``,
    );
  }
  return token.kind === "number"
    ? at(
        token,
        "a dot is followed by a name",
        `write \`[${text.slice(token.start, endOf(token))}]\` for an item of a list`,
      )
    : at(token, "a dot is followed by a name", 'write `x.name`, or `x["a name"]`');
}

function generally({ token, text, start, end }: Place): Advice {
  const shown = token === undefined ? text.slice(start, end) : token.text;
  const range = token === undefined ? { start, end } : { start: token.start, end: endOf(token) };
  return {
    ...range,
    message: `${quoted(shown)} is not expected here`,
    help: "expressions are written in CEL; see docs/contract-language.md",
  };
}

function methodAsOperator({ token }: Place): Advice | undefined {
  const known = token?.kind === "word" ? signatureOf(token.text) : undefined;
  if (token === undefined || known === undefined) return undefined;
  return at(token, `${quoted(token.text)} is a function, not an operator`, `write \`${known.signature.usage}\``);
}

type Adviser = (place: Place) => Advice | undefined;

const range = ({ start, end }: SyntaxFailure) => ({ start, end });

/** Failures that the library tells apart; all others are looked at by their place. */
const BY_CODE: Readonly<Record<string, Adviser>> = {
  invalid_escape_sequence: (place) => ({
    ...range(place),
    message: `${quoted(place.text.slice(place.start, place.end))} is no escape of a text`,
    help: 'write `r"…"`, where a backslash is a backslash',
  }),
  reserved_identifier: (place) => ({
    ...range(place),
    message: `${quoted(place.text.slice(place.start, place.end))} is a reserved word`,
    help:
      place.text.slice(place.start, place.end) === "if"
        ? "for if/then write `!(condition) || …`, for a choice `condition ? value : other`"
        : "choose another name",
  }),
  unterminated_string: (place) => ({
    start: place.start,
    end: place.start + 1,
    message: "the text is not closed",
    help: "close the quote, and put the whole expression into a block: `that: |`",
  }),
  newline_in_string: (place) => ({
    ...range(place),
    message: "a text ends on the line it begins",
    help: "write `\\n` for a line break",
  }),
  invalid_number: (place) => ({
    ...range(place),
    message: "the number is too large",
    help: "write a number that JSON tools can hold, below 1e308",
  }),
  invalid_integer: (place) => ({
    ...range(place),
    message: "the number is too large for the suffix `u`",
    help: "leave out the `u`: numbers are one kind",
  }),
  invalid_macro_argument: (place) => ({
    ...range(place),
    message: "the first argument names each item, so it is a plain name",
    help: "write `list.all(x, x > 1)`",
  }),
  limit_exceeded: (place) => ({
    kind: "expression_too_large",
    start: 0,
    end: place.text.length,
    message: "the expression has more than 500 parts, or more than 150 levels",
    help: "split it into several entries, each with its own reason",
  }),
};

/** What YAML makes of an expression that is written without quotes. */
const CUT: Readonly<Record<NonNullable<ExpressionText["cutBy"]>, string>> = {
  comma:
    "in `{ … }` and `[ … ]` of YAML a comma ends a text without quotes: write the expression as a block, `that: |`",
  comment: "` #` begins a comment of YAML, which ended the expression: write it as a block, `that: |`",
};

/** Says what is wrong with a text that is no expression, and what to write instead. */
export function syntaxProblem(source: ExpressionText, failure: SyntaxFailure): ExpressionProblem {
  const tokens = tokensOf(source.text);
  const index = tokens.findIndex((token) => endOf(token) > failure.start);
  const position = index < 0 ? tokens.length : index;
  const place: Place = {
    ...failure,
    text: source.text,
    tokens,
    position,
    token: tokens[position],
    before: tokens[position - 1],
  };
  const advisers: readonly Adviser[] = [
    (each) => BY_CODE[each.code]?.(each),
    otherSign,
    afterDot,
    (each) => otherOperator(each.tokens, each.position),
    methodAsOperator,
    (each) => (each.token === undefined ? endOfText(each) : undefined),
    generally,
  ];
  let advice: Advice | undefined;
  for (const adviser of advisers) advice ??= adviser(place);
  const { kind = "bad_expression", start, end, message, help } = advice ?? generally(place);
  const isAtEnd = place.token === undefined || place.code === "unterminated_string";
  const spoiled = isAtEnd && source.cutBy !== undefined ? CUT[source.cutBy] : undefined;
  return { kind, span: source.spanAt(start, Math.max(end, start)), message, help: spoiled ?? help };
}
