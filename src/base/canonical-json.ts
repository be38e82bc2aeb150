import { createHash } from "node:crypto";
import { memberCost, spend } from "./cost.js";

/** JSON with sorted keys and no white space: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) {
    spend(8 * value.length);
    return `[${value.map(canonicalJson).join(",")}]`;
  }
  if (typeof value !== "object" || value === null) {
    if (typeof value === "string") spend(value.length >> 2);
    return JSON.stringify(value) ?? "null";
  }
  const entries = new Map<string, unknown>(Object.entries(value));
  spend(8 + 2 * memberCost(entries.size));
  const members: string[] = [];
  // Without a comparison of ours keys are sorted by their UTF-16 units.
  for (const key of [...entries.keys()].sort()) {
    const item = entries.get(key);
    if (item !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(item)}`);
  }
  return `{${members.join(",")}}`;
}

/** The content hash of a text, in the spelling `sha256-<hex>`. */
export function contentHash(text: string): string {
  return `sha256-${createHash("sha256").update(text, "utf8").digest("hex")}`;
}
