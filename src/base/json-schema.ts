import type { TypeName } from "./json.js";

/** The part of JSON Schema 2020-12 that our own schemas are written in; `schema-errors.ts` checks every keyword of it. */
export interface JsonSchema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: TypeName | readonly TypeName[];
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  /** Not empty; nothing of ours needs a longer text. */
  readonly minLength?: 1;
  readonly format?: string;
  readonly minItems?: number;
  readonly items?: JsonSchema;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
}

/** The keywords that demand something, in the order in which they are checked. */
export const SCHEMA_KEYWORDS = [
  "type",
  "maximum",
  "minimum",
  "exclusiveMinimum",
  "minLength",
  "format",
  "const",
  "enum",
  "anyOf",
  "oneOf",
  "minItems",
  "items",
  "minProperties",
  "required",
  "additionalProperties",
  "properties",
] as const satisfies readonly (keyof JsonSchema)[];

export type SchemaKeyword = (typeof SCHEMA_KEYWORDS)[number];
