import type { OtherKeyword } from "./schema-tree.js";
import { has, readSchema, readSchemas, type Site } from "./site.js";

const ALTERNATIVES = [
  ["anyOf", "any_of"],
  ["oneOf", "one_of"],
] as const;

function readAlternatives(site: Site): OtherKeyword[] {
  return ALTERNATIVES.flatMap(([keyword, kind]): OtherKeyword[] => {
    const schemas = readSchemas(site, keyword);
    if (schemas === undefined) return [];
    return [{ build: (lower) => ({ kind, nodes: schemas.map(lower) }), onSameValue: schemas }];
  });
}

function readNot(site: Site): OtherKeyword[] {
  const schema = readSchema(site, "not");
  if (schema === undefined) return [];
  return [{ build: (lower) => ({ kind: "not", node: lower(schema) }), onSameValue: [schema] }];
}

function readCondition(site: Site): OtherKeyword[] {
  const condition = readSchema(site, "if");
  const consequent = readSchema(site, "then") ?? true;
  const alternative = readSchema(site, "else") ?? true;
  if (condition === undefined || !(has(site, "then") || has(site, "else"))) return [];
  return [
    {
      build: (lower) => ({
        kind: "if_then_else",
        condition: lower(condition),
        consequent: lower(consequent),
        alternative: lower(alternative),
      }),
      onSameValue: [condition, consequent, alternative],
    },
  ];
}

/** The keywords that apply further schemas to the same value under conditions. */
export function readCombinedKeywords(site: Site): readonly OtherKeyword[] {
  return [...readAlternatives(site), ...readNot(site), ...readCondition(site)];
}
