import { createHash } from "node:crypto";
import { memberCost, ownKeys, spend } from "./cost.js";

function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What a scalar costs to be written, beside the length of a text. */
const SCALAR_COST = 16;
/** Halves of pairs are escaped one by one, which takes many times as long as everything else that is escaped. */
const HALF_PAIR_COST = 24;

function textCost(text: string): number {
  return SCALAR_COST + (text.isWellFormed() ? text.length : HALF_PAIR_COST * text.length);
}

/** JSON with sorted keys and no white space: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) {
    spend(8 * value.length);
    return `[${value.map(canonicalJson).join(",")}]`;
  }
  if (typeof value === "string") spend(textCost(value));
  if (typeof value !== "object" || value === null) {
    if (typeof value !== "string") spend(SCALAR_COST);
    return JSON.stringify(value) ?? "null";
  }
  const keys = ownKeys(value);
  for (const key of keys) spend(textCost(key));
  spend(8 + 2 * memberCost(keys.length));
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => compareKeys(a, b));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`;
}

/** The content hash of a text, in the spelling `sha256-<hex>`. */
export function contentHash(text: string): string {
  return `sha256-${createHash("sha256").update(text, "utf8").digest("hex")}`;
}
