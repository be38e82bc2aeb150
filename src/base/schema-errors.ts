import { invariant } from "./invariant.js";
import { isJsonList, isJsonObject, type Json, type JsonObject, type TypeName, typeOf } from "./json.js";
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

/** Where a value and the schema it is checked against stand; the paths are spelt out for errors only. */
interface Place {
  readonly value: Json;
  readonly schema: JsonSchema;
  readonly parent: Place | null;
  /** The key or index of the value in its parent's; null where it is the same value. */
  readonly key: string | number | null;
  /** The keywords that lead from the parent's schema to this one. */
  readonly steps: readonly (string | number)[];
}

function pointer(path: string, step: string | number): string {
  return `${path}/${typeof step === "number" ? step : step.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function instancePath({ parent, key }: Place): string {
  if (parent === null) return "";
  return key === null ? instancePath(parent) : pointer(instancePath(parent), key);
}

function schemaPath({ parent, steps }: Place): string {
  return parent === null ? "#" : steps.reduce(pointer, schemaPath(parent));
}

function errorOf(keyword: SchemaKeyword, place: Place): SchemaError {
  const { value, schema } = place;
  return { keyword, instancePath: instancePath(place), schemaPath: pointer(schemaPath(place), keyword), value, schema };
}

const keywords = new WeakMap<JsonSchema, readonly SchemaKeyword[]>();

/** The keywords that a schema has, in the order in which they are checked. */
function keywordsOf(schema: JsonSchema): readonly SchemaKeyword[] {
  const known = keywords.get(schema);
  if (known !== undefined) return known;
  const found = SCHEMA_KEYWORDS.filter((keyword) => schema[keyword] !== undefined);
  keywords.set(schema, found);
  return found;
}

/** Whether a keyword is met, or the keys for which it is not; what it finds in members it adds itself. */
type Check = (checking: Checking, place: Place) => boolean | readonly string[];

/** Checks one value; `errors` grows until everything was looked at. */
class Checking {
  readonly errors: SchemaError[] = [];

  constructor(readonly options: SchemaOptions) {}

  check(place: Place): void {
    const before = this.errors.length;
    for (const keyword of keywordsOf(place.schema)) {
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

  items(parent: Place, list: readonly Json[], schema: JsonSchema): true {
    const before = this.errors.length;
    for (const [key, value] of list.entries()) {
      this.check({ value, schema, parent, key, steps: ["items"] });
      if (this.isDone(before)) break;
    }
    return true;
  }

  properties(parent: Place, object: JsonObject, schemas: Readonly<Record<string, JsonSchema>>): true {
    const before = this.errors.length;
    for (const [key, schema] of Object.entries(schemas)) {
      const value = Object.hasOwn(object, key) ? object[key] : undefined;
      if (value === undefined) continue;
      this.check({ value, schema, parent, key, steps: ["properties", key] });
      if (this.isDone(before)) break;
    }
    return true;
  }

  additional(parent: Place, object: JsonObject, schema: JsonSchema): true {
    const before = this.errors.length;
    for (const key of unknownKeys(object, parent.schema)) {
      this.check({ value: object[key] ?? null, schema, parent, key, steps: ["additionalProperties"] });
      if (this.isDone(before)) break;
    }
    return true;
  }

  /** How many branches take a value, up to `enough`; the errors of the others stay where it is not one. */
  branches(parent: Place, keyword: "anyOf" | "oneOf", enough: number): number {
    const before = this.errors.length;
    let taken = 0;
    for (const [index, schema] of (parent.schema[keyword] ?? []).entries()) {
      if (taken === enough) break;
      const start = this.errors.length;
      this.check({ value: parent.value, schema, parent, key: null, steps: [keyword, index] });
      if (this.errors.length === start) taken += 1;
    }
    if (taken === 1) this.errors.length = before;
    return taken;
  }
}

function unknownKeys(object: JsonObject, { properties = {} }: JsonSchema): readonly string[] {
  return Object.keys(object).filter((key) => !Object.hasOwn(properties, key));
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
  items: (checking, place) => !isJsonList(place.value) || checking.items(place, place.value, place.schema.items ?? {}),
  minProperties: (_, { value, schema: { minProperties = 0 } }) =>
    !isJsonObject(value) || Object.keys(value).length >= minProperties,
  required: (_, { value, schema: { required = [] } }) =>
    !isJsonObject(value) || required.filter((key) => !Object.hasOwn(value, key)),
  additionalProperties: (checking, place) => {
    const { value, schema } = place;
    const { additionalProperties = true } = schema;
    if (additionalProperties === true || !isJsonObject(value)) return true;
    return additionalProperties ? checking.additional(place, value, additionalProperties) : unknownKeys(value, schema);
  },
  properties: (checking, place) =>
    !isJsonObject(place.value) || checking.properties(place, place.value, place.schema.properties ?? {}),
};

/** What a value has against a schema of ours; empty where it fits. */
export function schemaErrors(schema: JsonSchema, value: Json, options: SchemaOptions = {}): readonly SchemaError[] {
  const checking = new Checking(options);
  checking.check({ value, schema, parent: null, key: null, steps: [] });
  return checking.errors;
}
