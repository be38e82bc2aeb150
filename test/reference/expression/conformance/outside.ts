const MESSAGES = "protobuf messages and enumerations";
const OPTIONAL = "optional syntax";
const TWO_VARIABLES = "macros with two variables";
const BINDINGS = "cel.bind and cel.block";
const TYPES = "types as values";

/** Why texts are outside of the language, in words that many of them share; the first that fits. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/LBRACE|'\{'|TestAllTypes|GlobalEnum|NestedEnum|variable google/, MESSAGES],
  [/QUESTION|method (of|none|value|hasValue|orValue)$/, OPTIONAL],
  [/method (all|exists|existsOne|transformList|transformMap)$/, TWO_VARIABLES],
  [/method (block|bind)$|invalid predicate iteration variable/, BINDINGS],
  [/bytes|Unexpected character: '['"]'/, "bytes"],
  [/function dyn|variable dyn/, "dyn"],
  [/function type|variable (bool|int|uint|double|string|list|map|type|null_type)$/, TYPES],
  [/Unexpected character: `/, "quoted names"],
  [/Unexpected token: DOT|Unexpected character: $|Unexpected character: \s/, "names with a leading dot"],
  [/^(function (int|uint|bool)$)/, "conversions between kinds of numbers"],
  [/^function|^method|operands$|^a separator/, "functions that are not part of the language"],
  [/^variable/, "unknown variables"],
];

/** The kind of a reason; one that is of no kind is itself. */
export function kindOfOutside(why: string): string {
  return KINDS.find(([pattern]) => pattern.test(why))?.[1] ?? why;
}
