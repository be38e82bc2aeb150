import type { SearchBounds } from "../../analysis/search/search.js";
import { verify } from "../../analysis/verify.js";
import type { Source } from "../read-source.js";
import type { Verified } from "./findings.js";

/** Explores the packs of a source that have tools. */
export async function verifyPacks(
  { artifact, claims, examples, suppressions }: Pick<Source, "artifact" | "claims" | "examples" | "suppressions">,
  bounds: SearchBounds,
): Promise<readonly Verified[]> {
  const verifications = await verify(artifact, claims, bounds, examples);
  const packs = artifact.packs.map((pack, index) => ({ pack, suppressions: suppressions[index] ?? [] }));
  return packs
    .filter(({ pack }) => pack.tools.length > 0)
    .flatMap(({ pack, suppressions: own }, index) => {
      const verification = verifications[index];
      return verification === undefined ? [] : [{ pack, verification, suppressions: own }];
    });
}
