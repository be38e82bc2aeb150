import type { Artifact, CompiledPack } from "../../artifact/compiled.js";
import { packName } from "../../artifact/pack-name.js";
import { type PackRule, PackRules } from "../../artifact/pack-rules.js";
import { canonicalJson } from "../../base/canonical-json.js";
import type { Change, Difference } from "../difference.js";
import { PackUnderTest } from "../model/pack-under-test.js";
import type { SearchBounds } from "../search/search.js";
import { playerOf } from "../trace/replay.js";
import { environmentValues } from "../values/environment-values.js";
import { compareBehaviour } from "./search/behaviour.js";
import type { ReadablePack } from "./search/found-change.js";
import type { Packs } from "./search/principals.js";
import { artifactChanges } from "./static/artifact-changes.js";
import { groupChanges } from "./static/group-changes.js";
import { packChanges } from "./static/pack-changes.js";
import { pairPacks } from "./static/pair-packs.js";
import { isAwaited } from "./static/room-made.js";
import { contentOf } from "./static/rule-content.js";
import { isShut } from "./static/structure-changes.js";

/** The bounds of the search, and the wording of rules. */
export interface DiffOptions {
  /** Null if both are only read, without a search for calls. */
  readonly bounds: SearchBounds | null;
  readonly wording: (rule: PackRule) => string;
}

const NOTHING = {
  changes: [],
  divergences: [],
  isLoosened: false,
  isTightened: false,
  isBounded: false,
  isSearched: true,
} as const;

interface PackOf {
  readonly artifact: Artifact;
  readonly pack: CompiledPack;
}

/** A pack for reading, without what a search needs. */
function readable({ artifact, pack }: PackOf): ReadablePack {
  const tools = new Map(pack.tools.map((tool) => [tool.name, tool]));
  const { workflow } = artifact;
  return {
    pack,
    rules: new PackRules(pack),
    tool: (name) => tools.get(name),
    isAwaited: isAwaited(artifact, pack),
    shared: workflow === null ? null : new Set(workflow.shared_resources.map(({ alias }) => alias)),
  };
}

function isSame(one: CompiledPack, other: CompiledPack): boolean {
  return canonicalJson(contentOf(one)) === canonicalJson(contentOf(other));
}

/** A pack that only one artifact has: all of its tools were added or removed with it. */
function wholePack(pack: CompiledPack, kind: "added" | "removed"): Difference {
  const changes = pack.tools.map((tool): Change => {
    const { name } = tool;
    const [before, after] = kind === "added" ? [null, name] : [name, null];
    const direction = kind === "added" && !isShut(tool) ? "weaker" : "stronger";
    return {
      kind,
      what: "tool",
      name,
      tools: [name],
      before,
      after,
      oldRule: null,
      newRule: null,
      direction,
      at: tool.at,
    };
  });
  return { ...NOTHING, pack: packName(pack), changes, isLoosened: kind === "added", isTightened: kind === "removed" };
}

/** Both packs with the variables of both, because a session is played under either; one that both read has one value. */
function underOneEnvironment(old: PackOf, current: PackOf): Packs {
  const env = { ...environmentValues(old.pack), ...environmentValues(current.pack) };
  return {
    old: new PackUnderTest(old.artifact, old.pack, env),
    new: new PackUnderTest(current.artifact, current.pack, env),
  };
}

async function diffPack(old: PackOf, current: PackOf, { bounds, wording }: DiffOptions): Promise<Difference> {
  const pack = packName(current.pack);
  if (isSame(old.pack, current.pack)) return { ...NOTHING, pack };
  const found = packChanges(readable(old), readable(current), wording);
  const changes = groupChanges(found.map(({ change }) => change));
  // Equal rules judge equally, so there is nothing to search for.
  if (changes.every(({ direction }) => direction === "same")) return { ...NOTHING, pack, changes };
  // The root of a workflow may have no tools: no guard can be made for it, and no call is judged under it.
  const isPlayable = old.pack.tools.length > 0 && current.pack.tools.length > 0;
  if (bounds === null || !isPlayable) return { ...NOTHING, pack, changes, isBounded: true, isSearched: false };
  const packs = underOneEnvironment(old, current);
  const players = { old: playerOf(old.artifact, old.pack), new: playerOf(current.artifact, current.pack) };
  const { divergences, isBounded } = await compareBehaviour(packs, found, { bounds, wording, players });
  return {
    pack,
    changes,
    divergences,
    isLoosened: divergences.some(({ now }) => now === "allowed"),
    isTightened: divergences.some(({ now }) => now === "refused"),
    isBounded,
    isSearched: true,
  };
}

/** A difference with the changes outside the packs, such as the workflow, which no search covers. */
function withArtifact(own: Difference, ofArtifact: readonly Change[]): Difference {
  const isAllSame = (changes: readonly Change[]) => changes.every(({ direction }) => direction === "same");
  const isSearched = own.isSearched && (!isAllSame(own.changes) || isAllSame(ofArtifact));
  return { ...own, changes: [...own.changes, ...ofArtifact], isSearched };
}

/** The differences between two artifacts, by the packs of the new one. */
export interface ArtifactDifference {
  /** For each pack of the new artifact, in its order; null if it did not change. The first includes changes of the workflow. */
  readonly packs: readonly (Difference | null)[];
  /** For packs that only the old artifact has. */
  readonly removed: readonly Difference[];
}

/** Compares two artifacts; each pack of the new one has its own result, whatever the packs are called. */
export async function diffArtifacts(
  oldArtifact: Artifact,
  newArtifact: Artifact,
  given: DiffOptions,
): Promise<ArtifactDifference> {
  const pairs = pairPacks(oldArtifact.packs, newArtifact.packs);
  const ofArtifact = artifactChanges(oldArtifact, newArtifact, pairs);
  const packs: (Difference | null)[] = [];
  for (const [at, pack] of newArtifact.packs.entries()) {
    const old = pairs.get(pack);
    const own =
      old === undefined
        ? wholePack(pack, "added")
        : await diffPack({ artifact: oldArtifact, pack: old }, { artifact: newArtifact, pack }, given);
    const whole = at === 0 ? withArtifact(own, ofArtifact) : own;
    packs.push(whole.changes.length === 0 ? null : whole);
  }
  const kept = new Set(pairs.values());
  const gone = oldArtifact.packs.filter((pack) => !kept.has(pack)).map((pack) => wholePack(pack, "removed"));
  return { packs, removed: gone.filter(({ changes }) => changes.length > 0) };
}

/** The differences between two artifacts, pack by pack; unchanged packs are left out. */
export async function diffPacks(
  oldArtifact: Artifact,
  newArtifact: Artifact,
  given: DiffOptions,
): Promise<readonly Difference[]> {
  const { packs, removed } = await diffArtifacts(oldArtifact, newArtifact, given);
  return [...packs.filter((difference) => difference !== null), ...removed];
}
