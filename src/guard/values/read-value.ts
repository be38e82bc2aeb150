import { spend } from "../../base/cost.js";
import type { Json } from "../../base/json.js";
import type { JsonPath } from "../../base/json-path.js";
import { plainJson } from "./plain-json.js";
import { readAll, readDefinite } from "./read-path.js";
import { inRecordedOrder } from "./recorded-order.js";

/** The cost of decoding one character: parsing and copying take some 10 ns. */
const DECODE_COST = 3;

/** The value that a text is the JSON of; undefined if it is none, or exceeds the bounds of all values. */
function decodedJson(text: Json): Json | undefined {
  if (typeof text !== "string") return undefined;
  spend(DECODE_COST * text.length);
  try {
    const plain = plainJson(JSON.parse(text));
    return plain.ok ? plain.value : undefined;
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

/** The one value at a place, decoded if the text there is to be read as JSON. */
export function readValue(
  { path, decode }: { readonly path: JsonPath; readonly decode?: "json" | undefined },
  from: Json,
): Json | undefined {
  const value = path.kind === "definite" ? readDefinite(path.steps, from) : undefined;
  return value === undefined || decode === undefined ? value : decodedJson(value);
}

/**
 * Every match of a path, decoded likewise; null if one of them does not decode. Equal sources give the same matches in the same
 * order: it decides which of them a slot forgets first.
 */
export function matchesOf(
  { path, decode }: { readonly path: JsonPath; readonly decode?: "json" | undefined },
  from: Json,
): readonly Json[] | null {
  const found = readAll(path, path.kind === "multi" ? inRecordedOrder(from) : from);
  if (decode === undefined) return found;
  const values: Json[] = [];
  for (const text of found) {
    const value = decodedJson(text);
    if (value === undefined) return null;
    values.push(value);
  }
  return values;
}
