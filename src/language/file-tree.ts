import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** The largest file of a pack, in bytes. */
export const MAX_FILE_BYTES = 1024 * 1024;

/** What reading one file gave. */
export type FileContent =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "folder" }
  | { readonly kind: "missing" }
  | { readonly kind: "too_large"; readonly size: number }
  | { readonly kind: "unreadable"; readonly cause: string };

/** The files of a pack; paths are relative to its root, with forward slashes. */
export interface FileTree {
  /** The names in a folder, or null when there is no such folder. */
  list(folder: string): readonly string[] | null;
  read(file: string): FileContent;
}

function errorCode(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
}

const CAUSES = new Map([
  ["ELOOP", "it is a symbolic link that leads back to itself"],
  ["EACCES", "permission denied"],
  ["EPERM", "permission denied"],
]);

/** A pack on disk. */
export function diskTree(root: string): FileTree {
  return {
    list(folder) {
      try {
        return readdirSync(join(root, folder));
      } catch (cause) {
        if (cause instanceof Error) return null;
        throw cause;
      }
    },
    read(file) {
      try {
        const stat = statSync(join(root, file));
        if (stat.isDirectory()) return { kind: "folder" };
        // A pipe or a device could keep us waiting for ever.
        if (!stat.isFile()) return { kind: "unreadable", cause: "it is not a regular file" };
        if (stat.size > MAX_FILE_BYTES) return { kind: "too_large", size: stat.size };
        return { kind: "bytes", bytes: readFileSync(join(root, file)) };
      } catch (cause) {
        const code = errorCode(cause);
        if (code === "ENOENT") return { kind: "missing" };
        return { kind: "unreadable", cause: CAUSES.get(code) ?? code };
      }
    },
  };
}
