import { invariant } from "./invariant.js";
import { isJsonList, isJsonObject, type Json, type TypeName, typeOf } from "./json.js";
import { type JsonSchema, SCHEMA_KEYWORDS, type SchemaKeyword } from "./json-schema.js";

/** One keyword that a value does not meet; the order, the paths and what is reported are those of ajv. */
export interface SchemaError {
  readonly keyword: SchemaKeyword;
  /** JSON pointers to the value and to the keyword. */
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly value: Json;
  /** The schema that holds the keyword. */
  readonly schema: JsonSchema;
  /** The key that is missing or unknown. */
  readonly property?: string;
}

export interface SchemaOptions {
  /** Whether a value stops being looked at where it first fails, instead of everything that is wrong being listed. */
  readonly isFirstOnly?: boolean;
  /** Whether a text has a format; schemas without formats need none. */
  readonly hasFormat?: (text: string, format: string) => boolean;
}

function isOfType(value: Json, type: TypeName): boolean {
  if (typeof value !== "number") return typeOf(value) === type;
  return type === "integer" ? Number.isInteger(value) : type === "number" && Number.isFinite(value);
}

function pointer(path: string, key: string): string {
  return `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Where a value and the schema it is checked against stand. */
interface Place {
  readonly value: Json;
  readonly schema: JsonSchema;
  readonly instancePath: string;
  readonly schemaPath: string;
}

/** Whether a keyword is met, or the keys for which it is not; what it finds in members it adds itself. */
type Check = (checking: Checking, place: Place) => boolean | readonly string[];

/** Checks one value; `errors` grows until everything was looked at. */
class Checking {
  readonly errors: SchemaError[] = [];

  constructor(readonly options: SchemaOptions) {}

  check(place: Place): void {
    const before = this.errors.length;
    for (const keyword of SCHEMA_KEYWORDS) {
      if (place.schema[keyword] === undefined) continue;
      const result = KEYWORDS[keyword](this, place);
      if (result === false) this.errors.push(errorOf(keyword, place));
      else if (result !== true) {
        const keys = this.options.isFirstOnly === true ? result.slice(0, 1) : result;
        for (const key of keys) this.errors.push({ ...errorOf(keyword, place), property: key });
      }
      if (this.isDone(before)) return;
    }
  }

  /** Whether what is wrong since then is all that is asked for. */
  private isDone(before: number): boolean {
    return this.options.isFirstOnly === true && this.errors.length > before;
  }

  /** Checks members of a value one after the other. */
  members(places: Iterable<Place>): true {
    const before = this.errors.length;
    for (const place of places) {
      this.check(place);
      if (this.isDone(before)) break;
    }
    return true;
  }

  /** Checks a value against each branch, until `enough` of them take it; the errors of the others stay where too few do. */
  branches(place: Place, keyword: "anyOf" | "oneOf", enough: number): number {
    const before = this.errors.length;
    let taken = 0;
    for (const [index, schema] of (place.schema[keyword] ?? []).entries()) {
      if (taken === enough) break;
      const start = this.errors.length;
      this.check({ ...place, schema, schemaPath: `${place.schemaPath}/${keyword}/${index}` });
      if (this.errors.length === start) taken += 1;
    }
    if (taken === 1) this.errors.length = before;
    return taken;
  }
}

function errorOf(keyword: SchemaKeyword, { value, schema, instancePath, schemaPath }: Place): SchemaError {
  return { keyword, instancePath, schemaPath: `${schemaPath}/${keyword}`, value, schema };
}

function* itemsOf({ value, schema, instancePath, schemaPath }: Place): Iterable<Place> {
  if (!isJsonList(value) || schema.items === undefined) return;
  for (const [index, item] of value.entries()) {
    yield {
      value: item,
      schema: schema.items,
      instancePath: `${instancePath}/${index}`,
      schemaPath: `${schemaPath}/items`,
    };
  }
}

function* propertiesOf({ value, schema, instancePath, schemaPath }: Place): Iterable<Place> {
  if (!isJsonObject(value)) return;
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const member = Object.hasOwn(value, key) ? value[key] : undefined;
    if (member === undefined) continue;
    yield {
      value: member,
      schema: property,
      instancePath: pointer(instancePath, key),
      schemaPath: pointer(`${schemaPath}/properties`, key),
    };
  }
}

function unknownKeys({ value, schema }: Place): readonly string[] {
  if (!isJsonObject(value)) return [];
  return Object.keys(value).filter((key) => !Object.hasOwn(schema.properties ?? {}, key));
}

function* additionalOf(place: Place, schema: JsonSchema): Iterable<Place> {
  const { value, instancePath, schemaPath } = place;
  for (const key of unknownKeys(place)) {
    const member = isJsonObject(value) ? value[key] : undefined;
    if (member === undefined) continue;
    yield {
      value: member,
      schema,
      instancePath: pointer(instancePath, key),
      schemaPath: `${schemaPath}/additionalProperties`,
    };
  }
}

/** A bound on numbers holds for every other value. */
function bound(
  keyword: "minimum" | "maximum" | "exclusiveMinimum",
  isWithin: (value: number, limit: number) => boolean,
) {
  return (_: Checking, { value, schema: { [keyword]: limit } }: Place): boolean =>
    typeof value !== "number" || !Number.isFinite(value) || limit === undefined || isWithin(value, limit);
}

const KEYWORDS: Readonly<Record<SchemaKeyword, Check>> = {
  type: (_, { value, schema: { type = [] } }) =>
    (typeof type === "string" ? [type] : type).some((name) => isOfType(value, name)),
  maximum: bound("maximum", (value, limit) => value <= limit),
  minimum: bound("minimum", (value, limit) => value >= limit),
  exclusiveMinimum: bound("exclusiveMinimum", (value, limit) => value > limit),
  minLength: (_, { value }) => value !== "",
  format: ({ options: { hasFormat } }, { value, schema: { format = "" } }) => {
    invariant(hasFormat, `something checks the format ${format}`);
    return typeof value !== "string" || hasFormat(value, format);
  },
  const: (_, { value, schema }) => value === schema.const,
  enum: (_, { value, schema }) => typeof value === "string" && (schema.enum ?? []).includes(value),
  anyOf: (checking, place) => checking.branches(place, "anyOf", 1) === 1,
  oneOf: (checking, place) => checking.branches(place, "oneOf", 2) === 1,
  minItems: (_, { value, schema: { minItems = 0 } }) => !isJsonList(value) || value.length >= minItems,
  items: (checking, place) => checking.members(itemsOf(place)),
  minProperties: (_, { value, schema: { minProperties = 0 } }) =>
    !isJsonObject(value) || Object.keys(value).length >= minProperties,
  required: (_, { value, schema: { required = [] } }) =>
    !isJsonObject(value) || required.filter((key) => !Object.hasOwn(value, key)),
  additionalProperties: (checking, place) => {
    const { additionalProperties = true } = place.schema;
    if (typeof additionalProperties === "object") return checking.members(additionalOf(place, additionalProperties));
    return additionalProperties || unknownKeys(place);
  },
  properties: (checking, place) => checking.members(propertiesOf(place)),
};

/** What a value has against a schema of ours; empty where it fits. */
export function schemaErrors(schema: JsonSchema, value: Json, options: SchemaOptions = {}): readonly SchemaError[] {
  const checking = new Checking(options);
  checking.check({ value, schema, instancePath: "", schemaPath: "#" });
  return checking.errors;
}
