import type { CompiledPack } from "../../../artifact/compiled.js";

type Likeness = (one: CompiledPack, other: CompiledPack) => boolean;

const isSameAgent: Likeness = (one, other) => one.agent !== null && one.agent === other.agent;
const isSameFolder: Likeness = (one, other) => one.folder === other.folder;

/** From the surest to the weakest. Several packs may have one agent, but no two of an artifact have one folder. */
const LIKENESSES: readonly Likeness[] = [
  (one, other) => isSameAgent(one, other) && isSameFolder(one, other),
  isSameAgent,
  isSameFolder,
];

/**
 * For each new pack the old one that it stands for: of its agent and folder, else of its agent, else of its folder. A weaker
 * likeness is tried only when no pack is left with a surer one, so that the order of the packs does not matter.
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
