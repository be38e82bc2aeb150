import { type FileTree, MAX_FILE_BYTES } from "../../src/language/file-tree.js";

/** The files of a pack in memory, by their paths. */
export type PackBytes = ReadonlyMap<string, Uint8Array>;

/** Texts as the bytes a disk would hold. */
export function packBytes(texts: Iterable<readonly [path: string, text: string]>): PackBytes {
  const encoder = new TextEncoder();
  return new Map(Array.from(texts, ([path, text]) => [path, encoder.encode(text)]));
}

function namesIn(paths: Iterable<string>, folder: string): readonly string[] {
  const prefix = folder === "" ? "" : `${folder}/`;
  const names = new Set<string>();
  for (const path of paths) {
    if (path.startsWith(prefix)) names.add(path.slice(prefix.length).split("/", 1)[0] ?? "");
  }
  return [...names];
}

/** A pack that was never on disk; it answers as `diskTree` would. */
export function memoryTree(files: PackBytes): FileTree {
  return {
    list(folder) {
      const names = namesIn(files.keys(), folder);
      return names.length === 0 && folder !== "" ? null : names;
    },
    read(file) {
      const bytes = files.get(file);
      if (bytes === undefined) return { kind: namesIn(files.keys(), file).length === 0 ? "missing" : "folder" };
      if (bytes.length > MAX_FILE_BYTES) return { kind: "too_large", size: bytes.length };
      return { kind: "bytes", bytes };
    },
  };
}
