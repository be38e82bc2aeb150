/** Why a pattern of a contract is rejected; `offset` and `length` count UTF-16 units of the pattern's source. */
export type RegexProblem =
  | { readonly kind: "syntax"; readonly message: string; readonly offset: number }
  | { readonly kind: "unsupported"; readonly construct: string; readonly offset: number; readonly length: number };

/** The `unsupported` kind of problem, for the stages that run only on well-formed patterns. */
export type UnsupportedConstruct = Extract<RegexProblem, { kind: "unsupported" }>;

/** Names the part of a pattern, given by its AST node or any other span, that is not supported. */
export function unsupported(construct: string, span: { start: number; end: number }): UnsupportedConstruct {
  return { kind: "unsupported", construct, offset: span.start, length: span.end - span.start };
}
