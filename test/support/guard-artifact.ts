import type { Artifact } from "../../src/artifact/compiled.js";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import { renderText } from "../../src/diagnostics/render-text.js";
import { withPack } from "./pack-text.js";

const known = new Map<string, Artifact>();

/** The artifact of a pack text; a pack with errors fails the test with its findings. */
export function artifactOf(packText: string): Artifact {
  const compiled = known.get(packText);
  if (compiled !== undefined) return compiled;
  const { artifact, diagnostics } = withPack(packText, (folder) => compileFolder(folder));
  if (artifact === null) throw new Error(`the pack does not compile:\n${renderText(diagnostics, false)}`);
  known.set(packText, artifact);
  return artifact;
}
