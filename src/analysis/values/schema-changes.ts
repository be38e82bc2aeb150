import type { CompiledSchema } from "../../artifact/compiled-schema.js";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { jsonPath } from "../../base/json-path.js";
import { checkSchema } from "../../guard/program/schema-check.js";
import { readDefinite } from "../../guard/values/read-path.js";
import { first, isBeyond } from "../model/caps.js";
import { orElse } from "./argument-rules.js";
import { operatorsOf } from "./draw-schema.js";
import { pathOf, setValue } from "./edit-value.js";
import { breakingValues, PLAIN_VALUES } from "./operator-values.js";
import { namesIn } from "./schema-tests.js";
import { schemaValues, schemaValuesAt, testsAt } from "./schema-values.js";

type Steps = readonly (string | number)[];

const NO_ENVIRONMENT = new Map<string, string>();
/** A property that no schema names, so that a closed one refuses it. */
const STRAY_NAME = "unexpected";

/** The places of the parts of a value, outermost first. */
function placesIn(value: Json): readonly Steps[] {
  const places: Steps[] = [[]];
  for (const place of places) {
    if (isBeyond(places.length + 1, "schema_places")) break;
    const part = readDefinite(place, value);
    if (isJsonList(part)) places.push(...first(part, "schema_items").map((_, index) => [...place, index]));
    else if (isJsonObject(part)) places.push(...Object.keys(part).map((name) => [...place, name]));
  }
  return first(places, "schema_places");
}

function textOf(place: Steps): string {
  const segments = place.map((step) => ({
    descend: false,
    selectors: [
      typeof step === "number" ? ({ kind: "index", index: step } as const) : ({ kind: "name", name: step } as const),
    ],
  }));
  return jsonPath(segments).text;
}

/** Changes that may make a schema accept a value: at the refused place, then of the whole value. */
export function* mendingChanges(schema: CompiledSchema, value: Json): Generator<Json> {
  const failure = orElse(() => checkSchema(schema, value), null);
  const place = failure === null ? undefined : placesIn(value).find((steps) => textOf(steps) === failure.path);
  if (place !== undefined) {
    const path = pathOf(place);
    const present = readDefinite(place, value);
    for (const candidate of schemaValuesAt(schema, place)) {
      if (isJsonObject(candidate) && isJsonObject(present)) {
        yield setValue(value, path, { ...candidate, ...present });
        yield setValue(value, path, { ...present, ...candidate });
      }
      yield setValue(value, path, candidate);
    }
    if (place.length > 0) yield setValue(value, path, undefined);
  }
  yield* schemaValues(schema);
}

function strays(count: number): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`${STRAY_NAME}${at}`, "text"]));
}

/** Changes at one place that its tests may refuse. */
function* breakingAt(schema: CompiledSchema, value: Json, place: Steps): Generator<Json> {
  const tests = testsAt(schema, place);
  const path = pathOf(place);
  const present = readDefinite(place, value);
  if (isJsonObject(present)) {
    yield setValue(value, pathOf([...place, STRAY_NAME]), "text");
    for (const name of Object.keys(present)) yield setValue(value, pathOf([...place, name]), undefined);
    for (const name of first(namesIn(tests), "schema_names")) {
      if (Object.hasOwn(present, name)) continue;
      for (const other of PLAIN_VALUES) yield setValue(value, pathOf([...place, name]), other);
    }
    const most = tests.flatMap((test) =>
      test.kind === "max_properties" && !isBeyond(test.count + 1, "schema_names") ? [test.count] : [],
    );
    for (const count of most) yield setValue(value, path, { ...present, ...strays(count + 1) });
    yield setValue(value, path, {});
  }
  if (isJsonList(present)) {
    yield setValue(value, path, []);
    yield setValue(value, path, [...present, ...present]);
    yield setValue(value, path, present.slice(1));
    for (const other of PLAIN_VALUES) yield setValue(value, path, [...present, other]);
  }
  if (place.length === 0) return;
  for (const other of breakingValues(operatorsOf(tests), NO_ENVIRONMENT)) yield setValue(value, path, other);
  for (const other of PLAIN_VALUES) yield setValue(value, path, other);
}

/** Changes that may make a schema refuse a value, outermost places first. */
export function* breakingChanges(schema: CompiledSchema, value: Json): Generator<Json> {
  for (const place of placesIn(value)) yield* breakingAt(schema, value, place);
}
