import { relative, resolve, sep } from "node:path";
import type { Artifact } from "../artifact/compiled.js";
import { type PlainDiagnostic, plainDiagnostic } from "../diagnostics/render-json.js";
import { diskTree, type FileTree } from "../language/file-tree.js";
import { type Compiled, compile } from "./compile.js";

/** What may be read besides the folder of a pack. */
export interface CompileOptions {
  /** The file of the tool definitions, instead of the pack's own tools.json. */
  readonly tools?: string;
  /** Files below this folder may be read, such as packs of roles next to the workflow's; the pack itself unless given. */
  readonly root?: string;
}

/** The result of compiling a pack: an artifact, or the findings that prevent it. */
export interface CompileResult {
  readonly ok: boolean;
  readonly artifact: Artifact | null;
  readonly diagnostics: readonly PlainDiagnostic[];
}

/** The files of a folder of contracts, and everything else that the options allow to be read. */
export function packTree(folder: string, { tools, root = folder }: CompileOptions = {}): FileTree {
  const named = tools === undefined ? {} : { alsoFile: resolve(tools) };
  return diskTree(resolve(folder), { within: resolve(root), ...named });
}

/** Compiles a folder of contracts, keeping the sources for rendering. */
export function compileFolder(folder: string, options: CompileOptions = {}): Compiled {
  const { tools } = options;
  const toolsFile = tools === undefined ? null : relative(resolve(folder), resolve(tools)).split(sep).join("/");
  return compile(packTree(folder, options), toolsFile);
}

/**
 * Compiles a folder of contracts. A mistake in the pack is a finding, never an exception. Golden cases are checked but not
 * played: that takes a guard, and `contracts check` has one.
 */
export async function compilePack(folder: string, options: CompileOptions = {}): Promise<CompileResult> {
  const { artifact, diagnostics } = compileFolder(folder, options);
  return { ok: artifact !== null, artifact, diagnostics: diagnostics.map(plainDiagnostic) };
}
