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

/** Where the walk is: both paths start at the root of the file. */
interface Place {
  readonly instancePath: string;
  readonly schemaPath: string;
}

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

  visit(schema: Schema, value: Json, place: Place): void {
    const { type } = schema;
    if (type !== undefined && !isOfType(type, value)) this.add(schema, place, { keyword: "type", params: { type } });
    if (typeof value === "number") this.number(schema, value, place);
    else if (typeof value === "string") this.text(schema, value, place);
    this.choice(schema, value, place);
    if (isJsonObject(value)) this.mapping(schema, value, place);
    else if (Array.isArray(value)) this.list(schema, value, place);
  }

  private add(parentSchema: Schema, { instancePath, schemaPath }: Place, breach: Breach): void {
    this.errors.push({ ...breach, instancePath, schemaPath: `${schemaPath}/${breach.keyword}`, parentSchema });
  }

  private number(schema: Schema, value: number, place: Place): void {
    const { maximum, minimum, exclusiveMinimum } = schema;
    if (maximum !== undefined && value > maximum)
      this.add(schema, place, { keyword: "maximum", params: { comparison: "<=", limit: maximum } });
    if (minimum !== undefined && value < minimum)
      this.add(schema, place, { keyword: "minimum", params: { comparison: ">=", limit: minimum } });
    if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
      this.add(schema, place, { keyword: "exclusiveMinimum", params: { comparison: ">", limit: exclusiveMinimum } });
  }

  private text(schema: Schema, value: string, place: Place): void {
    const { minLength, format } = schema;
    if (minLength !== undefined && value.length < minLength)
      this.add(schema, place, { keyword: "minLength", params: { limit: minLength } });
    if (format === undefined) return;
    const fits = this.formats[format];
    invariant(fits !== undefined, "every format of the schemas has a test");
    if (!fits(value)) this.add(schema, place, { keyword: "format", params: { format } });
  }

  /** The errors of the branches of a union count where no branch fits. */
  private choice(schema: Schema, value: Json, place: Place): void {
    const { const: allowedValue, enum: allowedValues, anyOf } = schema;
    if (allowedValue !== undefined && value !== allowedValue)
      this.add(schema, place, { keyword: "const", params: { allowedValue } });
    if (allowedValues !== undefined && !allowedValues.includes(value))
      this.add(schema, place, { keyword: "enum", params: { allowedValues } });
    if (anyOf === undefined) return;
    const before = this.errors.length;
    const fits = anyOf.map((branch, index) => {
      const count = this.errors.length;
      this.visit(branch, value, { ...place, schemaPath: `${place.schemaPath}/anyOf/${index}` });
      return this.errors.length === count;
    });
    if (fits.includes(true)) this.errors.length = before;
    else this.add(schema, place, { keyword: "anyOf", params: {} });
  }

  private list(schema: Schema, items: readonly Json[], { instancePath, schemaPath }: Place): void {
    const { minItems, items: ofItem } = schema;
    if (minItems !== undefined && items.length < minItems)
      this.add(schema, { instancePath, schemaPath }, { keyword: "minItems", params: { limit: minItems } });
    if (ofItem === undefined) return;
    const path = `${schemaPath}/items`;
    for (const [index, item] of items.entries())
      this.visit(ofItem, item, { instancePath: `${instancePath}/${index}`, schemaPath: path });
  }

  private mapping(schema: Schema, value: Readonly<Record<string, Json>>, place: Place): void {
    const { minProperties, required = [], properties = {}, additionalProperties: others } = schema;
    const { schemaPath } = place;
    const keys = Object.keys(value);
    if (minProperties !== undefined && keys.length < minProperties)
      this.add(schema, place, { keyword: "minProperties", params: { limit: minProperties } });
    for (const missingProperty of required)
      if (!Object.hasOwn(value, missingProperty))
        this.add(schema, place, { keyword: "required", params: { missingProperty } });
    if (others !== undefined) {
      for (const key of keys) {
        if (Object.hasOwn(properties, key)) continue;
        if (others === false)
          this.add(schema, place, { keyword: "additionalProperties", params: { additionalProperty: key } });
        else this.member(others, value, key, { ...place, schemaPath: `${schemaPath}/additionalProperties` });
      }
    }
    for (const [key, ofMember] of Object.entries(properties))
      this.member(ofMember, value, key, { ...place, schemaPath: `${schemaPath}/properties/${key}` });
  }

  private member(schema: Schema, value: Readonly<Record<string, Json>>, key: string, place: Place): void {
    const item = Object.hasOwn(value, key) ? value[key] : undefined;
    if (item === undefined) return;
    const name = key.includes("~") || key.includes("/") ? key.replaceAll("~", "~0").replaceAll("/", "~1") : key;
    this.visit(schema, item, { instancePath: `${place.instancePath}/${name}`, schemaPath: place.schemaPath });
  }
}

/** Every place where a value breaks a schema. */
export function schemaErrors(schema: Schema, value: Json, formats: FormatTests): readonly SchemaError[] {
  const walk = new SchemaWalk(formats);
  walk.visit(schema, value, { instancePath: "", schemaPath: "#" });
  return walk.errors;
}
