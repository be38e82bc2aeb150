import type { Artifact } from "../artifact/compiled.js";
import { decodeArtifact } from "../artifact/decode.js";
import { artifactStream } from "../guard/durable/streams.js";
import type { DurableStore } from "../guard/durable-store.js";
import { prepareProgram } from "../guard/program/prepare-program.js";
import type { Program } from "../guard/program/program.js";
import { packOf } from "../guard/resolved-options.js";
import type { Problems } from "./problem.js";
import { isDamage, recordsOf, streamsOf } from "./stored-streams.js";

const PREFIX = artifactStream("");
/** How many artifacts are kept in memory. */
const MOST_KEPT = 20;

/** The program of a session under an artifact; null if it has no such role, or contains what no guard accepts. */
export function programUnder(
  artifact: Artifact,
  role: string | null,
  env: Readonly<Record<string, string | undefined>>,
): Program | null {
  try {
    return prepareProgram(artifact, packOf(artifact, role ?? undefined), { env, principal: null });
  } catch {
    return null;
  }
}

function shownName(hash: string): string {
  return /^sha256-[0-9a-f]{64}$/.test(hash) ? `the artifact ${hash}` : "an artifact whose name is no hash";
}

/** The artifacts that a store has beside its sessions. */
export class StoredArtifacts {
  private readonly kept = new Map<string, Artifact | null>();

  constructor(private readonly store: DurableStore) {}

  /** The artifact of a hash; null if the store does not have it as it was. */
  async get(hash: string): Promise<Artifact | null> {
    const known = this.kept.get(hash);
    if (known !== undefined) return known;
    const artifact = await this.read(hash);
    const [oldest] = this.kept.keys();
    if (this.kept.size >= MOST_KEPT && oldest !== undefined) this.kept.delete(oldest);
    this.kept.set(hash, artifact);
    return artifact;
  }

  /** Checks that the content of every artifact has the hash of its name. */
  async check(problems: Problems): Promise<void> {
    for await (const { stream } of streamsOf(this.store, PREFIX)) {
      const hash = stream.slice(PREFIX.length);
      if ((await this.read(hash)) === null) problems.add(null, null, `${shownName(hash)} is not what it was`);
    }
  }

  private async read(hash: string): Promise<Artifact | null> {
    // A second record would be one that nobody reads.
    const texts: string[] = [];
    try {
      for await (const { data } of recordsOf(this.store, artifactStream(hash), 2)) texts.push(data);
    } catch (cause) {
      if (isDamage(cause)) return null;
      throw cause;
    }
    const [text] = texts;
    if (text === undefined || texts.length > 1) return null;
    const decoded = decodeArtifact(text);
    return decoded.ok && decoded.artifact.hash === hash ? decoded.artifact : null;
  }
}
