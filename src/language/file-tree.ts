import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
} from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";

/** The largest file of a pack, in bytes. */
export const MAX_FILE_BYTES = 1024 * 1024;

/** The result of reading one file. */
export type FileContent =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "folder" }
  | { readonly kind: "missing" }
  /** A path or a link leads out of what may be read. */
  | { readonly kind: "outside" }
  | { readonly kind: "too_large"; readonly size: number }
  | { readonly kind: "unreadable"; readonly cause: string };

/** The files of a pack; paths are relative to its root, with forward slashes. */
export interface FileTree {
  /** The names in a folder, or null when there is no such folder. */
  list(folder: string): readonly string[] | null;
  read(file: string): FileContent;
}

/** What may be read from the disk besides the pack itself. */
export interface ReadLimits {
  /** Everything below this folder, instead of below the pack alone. */
  readonly within?: string;
  /** One file that the caller named, wherever it is. */
  readonly alsoFile?: string;
}

function errorCode(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
}

const CAUSES = new Map([
  ["ELOOP", "it is a symbolic link that leads back to itself"],
  ["EACCES", "permission denied"],
  ["EPERM", "permission denied"],
]);

/** Whether a path is a folder or below it; both without symbolic links. */
export function isBelow(folder: string, path: string): boolean {
  const step = relative(folder, path);
  return step !== ".." && !step.startsWith(`..${sep}`) && !isAbsolute(step);
}

const realPath = realpathSync.native;
const CHUNK = 64 * 1024;
/** Neither waits for a pipe nor follows a link that replaced a file meanwhile. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** Reads no further than the limit, whatever size is reported for the file. */
function readOpen(file: number): FileContent {
  const parts: Uint8Array[] = [];
  let size = 0;
  while (size <= MAX_FILE_BYTES) {
    const part = new Uint8Array(CHUNK);
    const read = readSync(file, part);
    if (read === 0) return { kind: "bytes", bytes: Buffer.concat(parts, size) };
    parts.push(part.subarray(0, read));
    size += read;
  }
  return { kind: "too_large", size: Math.max(size, fstatSync(file).size) };
}

/** An open file or folder as a path, where the system has such paths. */
function pathOfOpen(file: number): string {
  return `/proc/self/fd/${file}`;
}

/** The real path of an open file; null where the system does not report it. */
export function openedPath(file: number): string | null {
  try {
    return readlinkSync(pathOfOpen(file));
  } catch (cause) {
    if (cause instanceof Error) return null;
    throw cause;
  }
}

/** Reads a file whose path has no symbolic links; a folder of the path may become one meanwhile. */
function readReal(real: string): FileContent {
  const before = lstatSync(real);
  if (before.isDirectory()) return { kind: "folder" };
  // Checked before it is opened: opening alone has an effect on some devices.
  if (!before.isFile()) return { kind: "unreadable", cause: "it is not a regular file" };
  if (before.size > MAX_FILE_BYTES) return { kind: "too_large", size: before.size };
  const file = openSync(real, OPEN_FLAGS);
  try {
    const opened = fstatSync(file);
    const isSame = opened.ino === before.ino && opened.dev === before.dev && (openedPath(file) ?? real) === real;
    return isSame ? readOpen(file) : { kind: "unreadable", cause: "it changed while it was read" };
  } finally {
    closeSync(file);
  }
}

/** The names in a folder whose path has no symbolic links; listed from the open folder, which cannot become another. */
function listReal(real: string): readonly string[] | null {
  // Not every system opens folders.
  if (!existsSync("/proc/self/fd")) return readdirSync(real);
  const folder = openSync(real, OPEN_FLAGS | constants.O_DIRECTORY);
  try {
    return openedPath(folder) === real ? readdirSync(pathOfOpen(folder)) : null;
  } finally {
    closeSync(folder);
  }
}

/** A pack on disk. Symbolic links are followed as long as they stay within the limits. */
export function diskTree(root: string, { within = root, alsoFile }: ReadLimits = {}): FileTree {
  let limit: string | undefined;
  const mayRead = (real: string) => {
    limit ??= realPath(within);
    return isBelow(limit, real) || (alsoFile !== undefined && realPath(alsoFile) === real);
  };
  return {
    list(folder) {
      try {
        const real = realPath(join(root, folder));
        return mayRead(real) ? listReal(real) : null;
      } catch (cause) {
        if (cause instanceof Error) return null;
        throw cause;
      }
    },
    read(file) {
      try {
        const real = realPath(join(root, file));
        return mayRead(real) ? readReal(real) : { kind: "outside" };
      } catch (cause) {
        const code = errorCode(cause);
        if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" };
        return { kind: "unreadable", cause: CAUSES.get(code) ?? code };
      }
    },
  };
}
