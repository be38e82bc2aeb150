import type { Artifact, CompiledPack } from "./compiled.js";

/** The role of the workflow that plays the pack at an index; undefined for the first pack, the artifact's own. */
export function roleOfPack({ workflow }: Artifact, index: number): string | undefined {
  return index === 0 ? undefined : workflow?.roles.find(({ pack }) => pack === index)?.name;
}

/** The pack of a role of the workflow; undefined where there is no such role. */
export function packOfRole({ packs, workflow }: Artifact, name: string): CompiledPack | undefined {
  const role = workflow?.roles.find((candidate) => candidate.name === name);
  return role === undefined ? undefined : packs[role.pack];
}
