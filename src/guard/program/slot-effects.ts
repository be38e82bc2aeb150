import type { CompiledPack, CompiledTool } from "../../artifact/compiled.js";
import type { Collection, ToolEffects } from "./tool-effects.js";

/** How many keys, or values of a union, a slot keeps if the pack sets no limit. */
const DEFAULT_LIMIT = 10_000;

/** The slots of a pack that are not plain. */
export function collectionsOf({ slots = [] }: CompiledPack): readonly Collection[] {
  return slots
    .filter(({ kind }) => kind !== "plain")
    .map(({ name, kind, depth, limit }) => ({ name, kind, depth, limit: limit ?? DEFAULT_LIMIT }));
}

/** What calls of a tool bind and unbind. */
export type SlotEffects = Pick<ToolEffects, "binds" | "unbinds" | "rebinds" | "collections">;

/** The effects of a tool on slots, plain ones apart from the others. */
export function slotEffects({ binds, unbinds = [] }: CompiledTool, collections: readonly Collection[]): SlotEffects {
  const isPlain = (slot: string) => !collections.some(({ name }) => name === slot);
  const plain = binds.filter(({ slot }) => isPlain(slot));
  const isBound = (slot: string) => plain.some((bind) => bind.slot === slot);
  const cleared = [...new Set(unbinds.map(({ slot }) => slot))].filter(isPlain);
  const effects = collections.map(({ name }) => ({
    slot: name,
    unbinds: unbinds.filter(({ slot }) => slot === name),
    binds: binds.filter(({ slot }) => slot === name),
  }));
  return {
    binds: plain,
    unbinds: cleared.filter((slot) => !isBound(slot)),
    rebinds: cleared.filter(isBound),
    collections: effects.filter((effect) => effect.unbinds.length + effect.binds.length > 0),
  };
}
