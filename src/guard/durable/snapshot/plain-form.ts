import * as d from "../../../base/decoder.js";
import type { Json } from "../../../base/json.js";
import { plainJson } from "../../values/plain-json.js";

/** Refuses a part of a snapshot. */
export function fail(path: string, expected: string): never {
  throw new d.DecodeFailure(path, expected);
}

/** A map as pairs, in its order. Not as an object, whose order depends on its keys. */
export function pairs<V>(inner: d.Decoder<V>): d.Decoder<Map<string, V>> {
  return (value, path) => {
    const map = new Map<string, V>();
    for (const [at, pair] of listOf(value, path).entries()) {
      const here = `${path}[${at}]`;
      const [key, item, ...more] = listOf(pair, here);
      if (more.length > 0 || typeof key !== "string" || map.has(key)) fail(here, "a key of its own and a value");
      map.set(key, inner(item, here));
    }
    return map;
  };
}

function listOf(value: unknown, path: string): readonly unknown[] {
  return Array.isArray(value) ? value : fail(path, "a list");
}

/** Of bounded depth and size, as everything is that decisions walk. */
export const plain: d.Decoder<Json> = (value, path) => {
  const copied = plainJson(value);
  return copied.ok ? copied.value : fail(path, "JSON");
};
