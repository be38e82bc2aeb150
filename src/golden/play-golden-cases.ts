import type { Artifact } from "../artifact/compiled.js";
import type { PackGoldenCases } from "../artifact/golden-case.js";
import { roleOfPack } from "../artifact/roles.js";
import { type Observer, type Playing, playCase } from "./play-case.js";
import type { PlayedCase } from "./played-case.js";

/** How the tests of each pack of an artifact are played; the observers are aligned with the packs. */
export function playingsOf(
  artifact: Artifact,
  env: Playing["env"],
  observers: readonly Observer[] = [],
): readonly Playing[] {
  return artifact.packs.map((pack, index) => {
    const observer = observers[index];
    return {
      artifact,
      role: roleOfPack(artifact, index),
      needsPrincipal: pack.needs_principal,
      env,
      ...(observer === undefined ? {} : { observer }),
    };
  });
}

/** Plays golden cases, aligned with the packs of the artifact, each on a guard of its own; in their order. */
export async function playGoldenCases(
  artifact: Artifact,
  cases: readonly PackGoldenCases[],
  env: Playing["env"],
): Promise<readonly PlayedCase[]> {
  const played: PlayedCase[] = [];
  for (const [index, playing] of playingsOf(artifact, env).entries()) {
    for (const golden of cases[index] ?? []) played.push(await playCase(playing, golden));
  }
  return played;
}
