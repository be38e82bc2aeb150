import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Json, JsonObject } from "../../../src/base/json.js";
import type { ToolContract } from "../../../src/language/schema/tool.js";
import { isMultiple } from "./decimal.js";
import { isList, isObject, isSame, jsonType } from "./json.js";
import type { Pack } from "./model.js";
import { canonicalPath, select } from "./select.js";

/** What each derivable keyword asks of a value, and the one type it speaks of; null means every type. */
const DERIVABLE: ReadonlyMap<string, { readonly type: string | null; holds(value: Json, operand: Json): boolean }> =
  new Map([
    ["minimum", { type: "number", holds: (value, bound) => Number(value) >= Number(bound) }],
    ["maximum", { type: "number", holds: (value, bound) => Number(value) <= Number(bound) }],
    ["exclusiveMinimum", { type: "number", holds: (value, bound) => Number(value) > Number(bound) }],
    ["exclusiveMaximum", { type: "number", holds: (value, bound) => Number(value) < Number(bound) }],
    ["multipleOf", { type: "number", holds: (value, step) => isMultiple(Number(value), Number(step)) }],
    ["pattern", { type: "string", holds: (value, pattern) => new RegExp(String(pattern), "u").test(String(value)) }],
    ["minLength", { type: "string", holds: (value, bound) => [...String(value)].length >= Number(bound) }],
    ["maxLength", { type: "string", holds: (value, bound) => [...String(value)].length <= Number(bound) }],
    ["const", { type: null, holds: (value, expected) => isSame(value, expected) }],
    [
      "enum",
      { type: null, holds: (value, expected) => isList(expected) && expected.some((one) => isSame(one, value)) },
    ],
  ]);

/** The subschemas of places that every value goes through, with the path that leads there. */
function placesBelow(schema: JsonObject, path: string): readonly (readonly [path: string, schema: JsonObject])[] {
  const { properties, items } = schema;
  const named = isObject(properties) ? Object.entries(properties) : [];
  const children = named.map(([name, child]) => [`${path}[${JSON.stringify(name)}]`, child] as const);
  const all = isObject(items) ? [...children, [`${path}[*]`, items] as const] : children;
  return all.flatMap(([at, child]) => (isObject(child) ? [[at, child] as const] : []));
}

/** A derivable keyword with its place. */
interface Derived {
  readonly path: string;
  readonly keyword: string;
  readonly operand: Json;
  readonly types: readonly Json[];
}

function derivedFrom(schema: JsonObject, path: string): readonly Derived[] {
  const types = schema.type === undefined ? [] : isList(schema.type) ? schema.type : [schema.type];
  const own = Object.entries(schema).flatMap(([keyword, operand]) =>
    DERIVABLE.has(keyword) ? [{ path, keyword, operand, types }] : [],
  );
  return [...own, ...placesBelow(schema, path).flatMap(([at, child]) => derivedFrom(child, at))];
}

/** The schema without derivable keywords at the places they are derived from. */
function withoutDerived(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).filter(([keyword]) => !DERIVABLE.has(keyword));
  return Object.fromEntries(
    kept.map(([keyword, operand]): [string, Json] => {
      const strip = (child: Json): Json => (isObject(child) ? withoutDerived(child) : child);
      if (keyword === "items") return [keyword, strip(operand)];
      if (keyword !== "properties" || !isObject(operand)) return [keyword, operand];
      return [keyword, Object.fromEntries(Object.entries(operand).map(([name, child]) => [name, strip(child)]))];
    }),
  );
}

const ajv = new Ajv2020({ strict: false, ownProperties: true, validateSchema: false });
const validators = new Map<string, ValidateFunction>();

/** Compiling with ajv takes a millisecond, so each schema is compiled once. */
function validatorOf(schema: JsonObject): ValidateFunction {
  const text = JSON.stringify(schema);
  const known = validators.get(text) ?? ajv.compile(schema);
  validators.set(text, known);
  return known;
}

/** The input schema of a tool; null where tools.json does not have it. */
export function inputSchema(pack: Pack, tool: string): JsonObject | null {
  return pack.definitions?.find(({ name }) => name === tool)?.input_schema ?? null;
}

/** The JSON Schema check: everything but derivable keywords at derivable places. */
export function fitsSchema(schema: JsonObject, args: JsonObject): boolean {
  return validatorOf(withoutDerived(schema))(args);
}

function isOn(pack: Pack, contract: ToolContract): boolean {
  return contract.schema_derived ?? pack.session?.schema_derived ?? true;
}

function holds({ path, keyword, operand, types }: Derived, args: JsonObject): boolean {
  const rule = DERIVABLE.get(keyword);
  if (rule === undefined) throw new Error(`not derivable: ${keyword}`);
  return select(path, args).every((value) => {
    if (rule.type === null || rule.type === jsonType(value)) return rule.holds(value, operand);
    // Of another type: fine where the schema names that type, as the schema check has made sure.
    return types.length > 0;
  });
}

/** The invariants that follow from a tool's schema, except those that the contract replaces or switches off. */
export function derivedHold(pack: Pack, contract: ToolContract, args: JsonObject): boolean {
  const schema = inputSchema(pack, contract.tool);
  if (schema === null || !isOn(pack, contract)) return true;
  const manual = (contract.argument_value_invariants ?? []).map(({ path }) => path);
  const off = new Set([...manual, ...(contract.schema_derived_exclude ?? [])].map(canonicalPath));
  const derived = derivedFrom(schema, "$").filter(({ path }) => !off.has(canonicalPath(path)));
  return derived.every((invariant) => holds(invariant, args));
}
