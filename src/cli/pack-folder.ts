import { realpathSync, type Stats, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Artifact } from "../artifact/compiled.js";
import type { CompileOptions } from "../compiler/compile-pack.js";
import { isBelow } from "../language/file-tree.js";
import { UsageError } from "./exit-code.js";

/** What is at a path that the command line names; undefined if nothing is. */
export function statNamed(path: string, name: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    // A folder on the way that may not be searched, a circle of links, a name that is too long.
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
    throw new UsageError(`\`${name}\` cannot be read: ${code}`);
  }
}

function isFolder(path: string, name: string): boolean {
  return statNamed(path, name)?.isDirectory() ?? false;
}

/** The path of a pack that a command was given. */
export function requireFolder(pack: string, cwd: string): string {
  const folder = resolve(cwd, pack);
  if (!isFolder(folder, pack))
    throw new UsageError(`\`${pack}\` is not a folder; give the folder that holds the contracts`);
  return folder;
}

/** What --root allows to be read; with a root that does not contain the pack nothing of it could be read. */
function requireRoot(root: string | undefined, folder: string, cwd: string): { readonly root?: string } {
  if (root === undefined) return {};
  const path = resolve(cwd, root);
  if (isFolder(path, root) && isBelow(realpathSync(path), realpathSync(folder))) return { root: path };
  throw new UsageError(`\`${root}\` does not contain the pack; choose a folder above it for --root`);
}

function requireFile(file: string, cwd: string): string {
  const path = resolve(cwd, file);
  if (statNamed(path, file)?.isFile() ?? false) return path;
  throw new UsageError(`\`${file}\` is not a file; give the tool definitions as a JSON file`);
}

/** What may be read besides a pack, from the command's options. */
export function readOptions({ tools, root }: CompileOptions, folder: string, cwd: string): CompileOptions {
  const named = tools === undefined ? {} : { tools: requireFile(tools, cwd) };
  return { ...named, ...requireRoot(root, folder, cwd) };
}

/** The folders that a pack and the roles of its workflow were read from. */
export function packFolders(folder: string | null, artifact: Artifact | null): readonly string[] {
  return folder === null ? [] : [folder, ...(artifact?.packs ?? []).map((pack) => resolve(folder, pack.folder))];
}
