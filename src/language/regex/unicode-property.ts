import type { AST } from "@eslint-community/regexpp";
import { RE2JS, RE2JSException } from "re2js";

/** RE2 has the short names of general categories only (Unicode, PropertyValueAliases.txt). */
const CATEGORIES = new Map(
  `Letter L, Cased_Letter LC, Uppercase_Letter Lu, Lowercase_Letter Ll, Titlecase_Letter Lt, Modifier_Letter Lm,
  Other_Letter Lo, Mark M, Combining_Mark M, Nonspacing_Mark Mn, Spacing_Mark Mc, Enclosing_Mark Me, Number N,
  Decimal_Number Nd, digit Nd, Letter_Number Nl, Other_Number No, Punctuation P, punct P, Connector_Punctuation Pc,
  Dash_Punctuation Pd, Open_Punctuation Ps, Close_Punctuation Pe, Initial_Punctuation Pi, Final_Punctuation Pf,
  Other_Punctuation Po, Symbol S, Math_Symbol Sm, Currency_Symbol Sc, Modifier_Symbol Sk, Other_Symbol So, Separator Z,
  Space_Separator Zs, Line_Separator Zl, Paragraph_Separator Zp, Other C, Control Cc, cntrl Cc, Format Cf, Surrogate Cs,
  Private_Use Co, Unassigned Cn`
    .split(",")
    .map((entry): [string, string] => {
      const [long = "", short = ""] = entry.trim().split(" ");
      return [long, short];
    }),
);

type Property = AST.CharacterSet & { readonly kind: "property" };

function nameOf({ key, value }: Property): string | null {
  if (value === null || key === "General_Category" || key === "gc") {
    const category = value ?? key;
    return CATEGORIES.get(category) ?? category;
  }
  return key === "Script" || key === "sc" ? value : null;
}

/**
 * A property in RE2's syntax, or null where RE2 has none of that name.
 * The name is kept rather than its code points: those depend on the Node.js that compiles, and the same pack must give
 * the same artifact on every machine.
 */
export function re2Property(node: Property): string | null {
  const name = nameOf(node);
  if (name === null) return null;
  const property = `\\${node.negate ? "P" : "p"}{${name}}`;
  try {
    RE2JS.compile(property);
    return property;
  } catch (cause) {
    if (cause instanceof RE2JSException) return null;
    throw cause;
  }
}
