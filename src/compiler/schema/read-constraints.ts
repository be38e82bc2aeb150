import { valueSpan } from "../../language/located.js";
import { parseRegex } from "../../language/regex/parse-regex.js";
import type { Constraint } from "./schema-tree.js";
import { COUNT, EXCLUSIVE_BOUND, NUMBER, STEP, TEXT, VALUE, VALUES } from "./shapes.js";
import { keywordSpan, read, type Site } from "./site.js";

const BOUNDS = [
  { keyword: "minimum", op: "gte", kind: "minimum", shape: NUMBER },
  { keyword: "maximum", op: "lte", kind: "maximum", shape: NUMBER },
  { keyword: "exclusiveMinimum", op: "gt", kind: "exclusive_minimum", shape: EXCLUSIVE_BOUND },
  { keyword: "exclusiveMaximum", op: "lt", kind: "exclusive_maximum", shape: EXCLUSIVE_BOUND },
  { keyword: "multipleOf", op: "multiple_of", kind: "multiple_of", shape: STEP },
] as const;

const LENGTHS = [
  { keyword: "minLength", op: "length_gte", kind: "min_length" },
  { keyword: "maxLength", op: "length_lte", kind: "max_length" },
] as const;

function readBounds(site: Site): Constraint[] {
  return BOUNDS.flatMap(({ keyword, op, kind, shape }): Constraint[] => {
    const value = read(site, keyword, shape);
    if (value === undefined) return [];
    const span = keywordSpan(site, keyword);
    return [{ kind: "usable", keyword, span, judges: "number", operator: { op, value }, test: { kind, value } }];
  });
}

function readLengths(site: Site): Constraint[] {
  return LENGTHS.flatMap(({ keyword, op, kind }): Constraint[] => {
    const value = read(site, keyword, COUNT);
    if (value === undefined) return [];
    const span = keywordSpan(site, keyword);
    return [{ kind: "usable", keyword, span, judges: "string", operator: { op, value }, test: { kind, count: value } }];
  });
}

function readPattern(site: Site): Constraint[] {
  const keyword = "pattern";
  const source = read(site, keyword, TEXT);
  if (source === undefined) return [];
  const result = parseRegex(source);
  if (!result.ok) {
    return [{ kind: "rejected", span: valueSpan(site.json, keyword), pattern: source, problem: result.problem }];
  }
  const { pattern } = result;
  const operator = { op: "regex", pattern } as const;
  const test = { kind: "pattern", pattern } as const;
  return [{ kind: "usable", keyword, span: keywordSpan(site, keyword), judges: "string", operator, test }];
}

function readEquality(site: Site): Constraint[] {
  const found: Constraint[] = [];
  const values = read(site, "enum", VALUES);
  if (values !== undefined) {
    const span = keywordSpan(site, "enum");
    const operator = { op: "one_of", values } as const;
    found.push({ kind: "usable", keyword: "enum", span, judges: null, operator, test: { kind: "enum", values } });
  }
  const boxed = read(site, "const", VALUE);
  if (boxed !== undefined) {
    const { value } = boxed;
    const span = keywordSpan(site, "const");
    const operator = { op: "equals", value } as const;
    found.push({ kind: "usable", keyword: "const", span, judges: null, operator, test: { kind: "const", value } });
  }
  return found;
}

/** The derivable keywords of a schema. */
export function readConstraints(site: Site): readonly Constraint[] {
  return [...readEquality(site), ...readBounds(site), ...readPattern(site), ...readLengths(site)];
}
