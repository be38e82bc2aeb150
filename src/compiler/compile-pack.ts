import { relative, resolve, sep } from "node:path";
import type { Artifact } from "../artifact/compiled.js";
import { type PlainDiagnostic, plainDiagnostic } from "../diagnostics/render-json.js";
import { diskTree } from "../language/file-tree.js";
import { type Compiled, compile } from "./compile.js";

/** Where a pack's tool definitions are, if not in its own tools.json. */
export interface CompileOptions {
  readonly tools?: string;
}

/** The result of compiling a pack: an artifact, or the findings that stand in its way. */
export interface CompileResult {
  readonly ok: boolean;
  readonly artifact: Artifact | null;
  readonly diagnostics: readonly PlainDiagnostic[];
}

/** Compiles a folder of contracts, keeping the sources for rendering. */
export function compileFolder(folder: string, tools?: string): Compiled {
  const root = resolve(folder);
  const toolsFile = tools === undefined ? null : relative(root, resolve(tools)).split(sep).join("/");
  return compile(diskTree(root), toolsFile);
}

/**
 * Compiles a folder of contracts. A mistake in the pack is a finding, never an exception. Golden cases are checked but not
 * played: that takes a guard, and `contracts check` has one.
 */
export async function compilePack(folder: string, options: CompileOptions = {}): Promise<CompileResult> {
  const { artifact, diagnostics } = compileFolder(folder, options.tools);
  return { ok: artifact !== null, artifact, diagnostics: diagnostics.map(plainDiagnostic) };
}
