import type { CompiledKey, CompiledTool } from "./compiled.js";

function keyWords(key: CompiledKey): string {
  if ("match" in key) return `[@${key.match.text.slice(1)}]`;
  return `[${key.source} ${key.path.text}]`;
}

/** What a bind writes, in one line: the slot with its keys, and where the value is read from. */
export function bindWords({ slot, source, path, key = [], collect, decode }: CompiledTool["binds"][number]): string {
  const place = `${slot}${key.map(keyWords).join("")}`;
  const value = `${source} ${path.text}${decode === undefined ? "" : " decoded"}`;
  return `${place} ${collect === undefined ? "=" : "+="} ${value}`;
}

/** What an unbind clears, in one line. */
export function unbindWords({ slot, key }: NonNullable<CompiledTool["unbinds"]>[number]): string {
  return `${slot}${key.map(keyWords).join("")}`;
}
