import { createHash } from "node:crypto";
import { memberCost, spend } from "./cost.js";

function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** JSON with sorted keys and no white space: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) {
    spend(8 * value.length);
    return `[${value.map(canonicalJson).join(",")}]`;
  }
  if (typeof value === "string") spend(value.length >> 2);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  spend(8 + 2 * memberCost(Object.keys(value).length));
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => compareKeys(a, b));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`;
}

/** The content hash of a text, in the spelling `sha256-<hex>`. */
export function contentHash(text: string): string {
  return `sha256-${createHash("sha256").update(text, "utf8").digest("hex")}`;
}
