import { type Token, tokensOf } from "./tokens.js";

/** The operators of one level of brackets, between commas. */
interface Level {
  readonly first: Token | null;
  readonly isReported: boolean;
}

const START: Level = { first: null, isReported: false };

/** Where `&&` and `||` stand beside each other without brackets: the operator that is not the first one's. */
export function mixedLogic(text: string): readonly Token[] {
  const found: Token[] = [];
  const outer: Level[] = [];
  let level = START;
  for (const token of tokensOf(text)) {
    if (token.kind !== "sign") continue;
    if ("([{".includes(token.text)) {
      outer.push(level);
      level = START;
    } else if (")]}".includes(token.text)) level = outer.pop() ?? START;
    else if (",?:".includes(token.text)) level = START;
    else if (token.text === "&&" || token.text === "||") {
      const isOther = level.first !== null && level.first.text !== token.text;
      if (isOther && !level.isReported) found.push(token);
      level = { first: level.first ?? token, isReported: level.isReported || isOther };
    }
  }
  return found;
}
