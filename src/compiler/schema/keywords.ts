/** Keywords that are enforced, whether derived or by the schema check. */
export const ENFORCED: ReadonlySet<string> = new Set([
  "type",
  "enum",
  "const",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "pattern",
  "minLength",
  "maxLength",
  "properties",
  "required",
  "additionalProperties",
  "patternProperties",
  "propertyNames",
  "minProperties",
  "maxProperties",
  "dependentRequired",
  "dependentSchemas",
  "dependencies",
  "items",
  "prefixItems",
  "additionalItems",
  "contains",
  "minContains",
  "maxContains",
  "minItems",
  "maxItems",
  "uniqueItems",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "$ref",
  "$defs",
  "definitions",
  "$id",
]);

/** Keywords that describe a schema and constrain no value. */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "$comment",
  "$schema",
  "$anchor",
  "$dynamicAnchor",
  "$recursiveAnchor",
  "$vocabulary",
]);

const LOCAL_REFS = "use `$ref` with a JSON Pointer into this schema, such as `#/$defs/name`";

/** Keywords that constrain values and cannot be enforced here, with what to write instead. */
export const UNSUPPORTED: ReadonlyMap<string, string> = new Map([
  ["unevaluatedProperties", "list all properties in one place and use `additionalProperties` there"],
  ["unevaluatedItems", "list all items in one place and use `items` after `prefixItems` there"],
  ["$dynamicRef", LOCAL_REFS],
  ["$recursiveRef", LOCAL_REFS],
]);

/** Keywords of JSON Schema that are read and not enforced. */
const UNENFORCED: readonly string[] = ["format", "contentEncoding", "contentMediaType", "contentSchema"];

/** Every keyword that a misspelt one may have meant. */
export const KNOWN: readonly string[] = [...ENFORCED, ...ANNOTATIONS, ...UNSUPPORTED.keys(), ...UNENFORCED];

/** Keywords that do nothing without one of the others. */
export const NEEDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["if", ["then", "else"]],
  ["then", ["if"]],
  ["else", ["if"]],
  ["minContains", ["contains"]],
  ["maxContains", ["contains"]],
]);
