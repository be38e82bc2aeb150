import type { CompiledPack } from "./compiled.js";

/** What a pack is called: its agent, or else its folder. */
export function packName({ agent, folder }: CompiledPack): string {
  return agent ?? (folder === "" ? "session" : folder);
}
