import type { CompiledPack } from "../../../artifact/compiled.js";

type Likeness = (one: CompiledPack, other: CompiledPack) => boolean;

const isSameAgent: Likeness = (one, other) => one.agent !== null && one.agent === other.agent;
const isSameFolder: Likeness = (one, other) => one.folder === other.folder;

/** From the surest to the weakest. Several packs may share an agent, but no two of an artifact share a folder. */
const LIKENESSES: readonly Likeness[] = [
  (one, other) => isSameAgent(one, other) && isSameFolder(one, other),
  isSameAgent,
  isSameFolder,
];

/**
 * For each new pack the old one it corresponds to: by agent and folder, else by agent, else by folder. A weaker criterion is
 * tried only after all packs were matched by the surer ones, so that the order of the packs does not matter.
 */
export function pairPacks(
  before: readonly CompiledPack[],
  after: readonly CompiledPack[],
): ReadonlyMap<CompiledPack, CompiledPack> {
  const pairs = new Map<CompiledPack, CompiledPack>();
  const taken = new Set<CompiledPack>();
  for (const isLike of LIKENESSES) {
    for (const pack of after) {
      if (pairs.has(pack)) continue;
      const old = before.find((each) => !taken.has(each) && isLike(each, pack));
      if (old === undefined) continue;
      pairs.set(pack, old);
      taken.add(old);
    }
  }
  return pairs;
}
