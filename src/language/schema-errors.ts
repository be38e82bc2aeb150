import { invariant } from "../base/invariant.js";
import { isJsonObject, type Json } from "../base/json.js";
import type { FormatTests, Schema, SchemaType } from "./contract-schemas.js";

/** Which keyword a value breaks, with the parameters that ajv gives. */
type Breach =
  | { readonly keyword: "type"; readonly params: { readonly type: SchemaType } }
  | { readonly keyword: "additionalProperties"; readonly params: { readonly additionalProperty: string } }
  | { readonly keyword: "required"; readonly params: { readonly missingProperty: string } }
  | { readonly keyword: "const"; readonly params: { readonly allowedValue: Json } }
  | { readonly keyword: "enum"; readonly params: { readonly allowedValues: readonly Json[] } }
  | { readonly keyword: "format"; readonly params: { readonly format: string } }
  | { readonly keyword: "minItems" | "minLength" | "minProperties"; readonly params: { readonly limit: number } }
  | {
      readonly keyword: "minimum" | "maximum" | "exclusiveMinimum";
      readonly params: { readonly comparison: string; readonly limit: number };
    }
  | { readonly keyword: "anyOf"; readonly params: Readonly<Record<string, never>> };

/** Where a value breaks a schema, in the form in which ajv says it. */
export type SchemaError = Breach & {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly parentSchema: Schema;
};

function isOfType(type: SchemaType, value: Json): boolean {
  switch (type) {
    case "object":
      return isJsonObject(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    case "number":
      return Number.isFinite(value);
    default:
      return typeof value === type;
  }
}

/**
 * Walks a file beside its schema and collects every error, in the order of ajv. A schema is data of a few kilobytes, and most files
 * fit it: to walk it takes less time than to load the code that ajv makes of it.
 */
class SchemaWalk {
  readonly errors: SchemaError[] = [];

  constructor(private readonly formats: FormatTests) {}

  visit(schema: Schema, value: Json, path: string, at: string): void {
    const { type } = schema;
    if (type !== undefined && !isOfType(type, value)) this.add(schema, path, at, { keyword: "type", params: { type } });
    if (typeof value === "number") this.number(schema, value, path, at);
    else if (typeof value === "string") this.text(schema, value, path, at);
    this.choice(schema, value, path, at);
    if (isJsonObject(value)) this.mapping(schema, value, path, at);
    else if (Array.isArray(value)) this.list(schema, value, path, at);
  }

  /** `path` leads to the value, `at` to the schema. */
  private add(parentSchema: Schema, path: string, at: string, breach: Breach): void {
    this.errors.push({ ...breach, instancePath: path, schemaPath: `${at}/${breach.keyword}`, parentSchema });
  }

  private number(schema: Schema, value: number, path: string, at: string): void {
    const { maximum, minimum, exclusiveMinimum } = schema;
    if (maximum !== undefined && value > maximum)
      this.add(schema, path, at, { keyword: "maximum", params: { comparison: "<=", limit: maximum } });
    if (minimum !== undefined && value < minimum)
      this.add(schema, path, at, { keyword: "minimum", params: { comparison: ">=", limit: minimum } });
    if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
      this.add(schema, path, at, { keyword: "exclusiveMinimum", params: { comparison: ">", limit: exclusiveMinimum } });
  }

  private text(schema: Schema, value: string, path: string, at: string): void {
    const { minLength, format } = schema;
    if (minLength !== undefined && value.length < minLength)
      this.add(schema, path, at, { keyword: "minLength", params: { limit: minLength } });
    if (format === undefined) return;
    const fits = this.formats[format];
    invariant(fits !== undefined, "every format of the schemas has a test");
    if (!fits(value)) this.add(schema, path, at, { keyword: "format", params: { format } });
  }

  /** The errors of the branches of a union count where no branch fits. */
  private choice(schema: Schema, value: Json, path: string, at: string): void {
    const { const: allowedValue, enum: allowedValues, anyOf } = schema;
    if (allowedValue !== undefined && value !== allowedValue)
      this.add(schema, path, at, { keyword: "const", params: { allowedValue } });
    if (allowedValues !== undefined && !allowedValues.includes(value))
      this.add(schema, path, at, { keyword: "enum", params: { allowedValues } });
    if (anyOf === undefined) return;
    const before = this.errors.length;
    for (const [index, branch] of anyOf.entries()) {
      const count = this.errors.length;
      this.visit(branch, value, path, `${at}/anyOf/${index}`);
      if (this.errors.length > count) continue;
      this.errors.length = before;
      return;
    }
    this.add(schema, path, at, { keyword: "anyOf", params: {} });
  }

  private list(schema: Schema, items: readonly Json[], path: string, at: string): void {
    const { minItems, items: ofItem } = schema;
    if (minItems !== undefined && items.length < minItems)
      this.add(schema, path, at, { keyword: "minItems", params: { limit: minItems } });
    if (ofItem === undefined) return;
    for (const [index, item] of items.entries()) this.visit(ofItem, item, `${path}/${index}`, `${at}/items`);
  }

  private mapping(schema: Schema, value: Readonly<Record<string, Json>>, path: string, at: string): void {
    const { minProperties, required = [], properties = NONE, additionalProperties: others } = schema;
    const keys = Object.keys(value);
    if (minProperties !== undefined && keys.length < minProperties)
      this.add(schema, path, at, { keyword: "minProperties", params: { limit: minProperties } });
    for (const missingProperty of required)
      if (!Object.hasOwn(value, missingProperty))
        this.add(schema, path, at, { keyword: "required", params: { missingProperty } });
    if (others !== undefined) {
      for (const key of keys) {
        if (Object.hasOwn(properties, key)) continue;
        if (others === false)
          this.add(schema, path, at, { keyword: "additionalProperties", params: { additionalProperty: key } });
        else this.visit(others, value[key] ?? null, within(path, key), `${at}/additionalProperties`);
      }
    }
    for (const key of Object.keys(properties)) {
      const ofMember = properties[key];
      const item = Object.hasOwn(value, key) ? value[key] : undefined;
      if (ofMember === undefined || item === undefined) continue;
      this.visit(ofMember, item, within(path, key), `${at}/properties/${key}`);
    }
  }
}

const NONE: Readonly<Record<string, Schema>> = {};

/** The pointer to a member. */
function within(path: string, key: string): string {
  const isPlain = !key.includes("~") && !key.includes("/");
  return `${path}/${isPlain ? key : key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Every place where a value breaks a schema. */
export function schemaErrors(schema: Schema, value: Json, formats: FormatTests): readonly SchemaError[] {
  const walk = new SchemaWalk(formats);
  walk.visit(schema, value, "", "#");
  return walk.errors;
}
