import { resolve } from "node:path";
import type { PackClaims, RoleClaim } from "../artifact/claim.js";
import type { Artifact } from "../artifact/compiled.js";
import { decodeArtifact } from "../artifact/decode.js";
import type { PackExamples } from "../artifact/example-call.js";
import { compileFolder } from "../compiler/compile-pack.js";
import type { VerificationSuppression } from "../compiler/verification-suppression.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { renderText } from "../diagnostics/render-text.js";
import { prepareProgram } from "../guard/program/prepare-program.js";
import { PatternRefused } from "../guard/values/match-pattern.js";
import { UsageError } from "./exit-code.js";
import { readOptions, statNamed } from "./pack-folder.js";
import { readNamedFile } from "./read-named-file.js";
import { type Terminal, wantsColor } from "./terminal.js";

/** A pack as a command was given it: its folder, or the file of its artifact. */
export interface Source {
  readonly artifact: Artifact;
  readonly claims: readonly PackClaims[];
  /** What is claimed of the roles of the workflow. */
  readonly roleClaims: readonly RoleClaim[];
  /** The calls that the authors of each pack wrote. */
  readonly examples: readonly PackExamples[];
  readonly suppressions: readonly (readonly VerificationSuppression[])[];
  readonly diagnostics: readonly Diagnostic[];
  /** Null for an artifact, whose contracts are not available. */
  readonly folder: string | null;
}

/** A well-formed artifact with a correct hash may still contain what no guard accepts: rejected here, before it is explored. */
function requireUsable(artifact: Artifact, name: string): void {
  try {
    for (const pack of artifact.packs) prepareProgram(artifact, pack, { env: {}, principal: null });
  } catch (cause) {
    if (!(cause instanceof PatternRefused)) throw cause;
    throw new UsageError(
      `\`${name}\` is not an artifact that a guard accepts: ${cause.message}; compile the pack again`,
    );
  }
}

function fromFile(path: string, name: string): Source {
  const result = decodeArtifact(readNamedFile(path, name));
  if (!result.ok) throw new UsageError(`\`${name}\` is not an artifact (${result.refusal}): ${result.message}`);
  requireUsable(result.artifact, name);
  const { artifact } = result;
  return { artifact, claims: [], roleClaims: [], examples: [], suppressions: [], diagnostics: [], folder: null };
}

/** Whether a text is an artifact, even of another format: an output of compiling may be overwritten. */
export function isArtifact(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || !("format" in value && "hash" in value)) return false;
    return "packs" in value && Array.isArray(value.packs);
  } catch (cause) {
    if (cause instanceof SyntaxError) return false;
    throw cause;
  }
}

/** The pack of a folder or of an artifact's file; null where it has errors, which are printed. */
export function readSource(terminal: Terminal, source: string, root?: string): Source | null {
  const path = resolve(terminal.cwd, source);
  const stats = statNamed(path, source);
  if (stats?.isFile() === true) return fromFile(path, source);
  if (stats?.isDirectory() !== true) {
    throw new UsageError(`\`${source}\` does not exist; give the folder of a pack, or an artifact`);
  }
  const { artifact, claims, roleClaims, examples, suppressions, diagnostics } = compileFolder(
    path,
    readOptions(root === undefined ? {} : { root }, path, terminal.cwd),
  );
  if (artifact !== null) return { artifact, claims, roleClaims, examples, suppressions, diagnostics, folder: path };
  terminal.stderr.write(renderText(diagnostics, wantsColor(terminal)));
  return null;
}
