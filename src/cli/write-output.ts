import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { clean } from "../base/clean.js";
import { isBelow, openedPath } from "../language/file-tree.js";
import { UsageError } from "./exit-code.js";

/** What is written, and what must not be overwritten. */
export interface Output {
  /** What it is, for messages: `the artifact`. */
  readonly what: string;
  /** The folders of the packs that the command reads; a file of theirs is not overwritten. */
  readonly packs: readonly string[];
  /** Files that the command was given to read. */
  readonly inputs: readonly string[];
  /** Whether a file in such a folder is an earlier output of the same kind, and may be replaced. */
  readonly isEarlier: (text: string) => boolean;
}

function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
  return code === "ENOENT" || code === "ENOTDIR" ? "its folder does not exist" : code;
}

/** Where a file is or would be, with the links of its folder resolved. */
function realTarget(path: string): string {
  return join(realpathSync(dirname(path)), basename(path));
}

/** Whether two outputs, which were checked, would be written to one file: the second would replace the first. */
export function isOneTarget(path: string, other: string): boolean {
  if (realTarget(path) === realTarget(other)) return true;
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && isSame(other, found);
}

function isReadByPacks(name: string): boolean {
  return /\.ya?ml$/i.test(name) || name === "tools.json";
}

/** Why a file must not be written; null where it may. */
function harmOf(path: string, target: string, { packs, inputs, isEarlier }: Output): string | null {
  // A file with such a name is part of some pack, even of one that is not read here.
  if (isReadByPacks(basename(path))) return "a pack would read it as one of its files; choose another name";
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() === true) return "it is a symbolic link; name the file that it leads to";
  if (found !== undefined && inputs.some((input) => isSame(input, found))) return "it is what the command reads";
  const isInPack = packs.some((folder) => isBelow(realpathSync(folder), target));
  if (!isInPack && packs.some((folder) => isBelow(resolve(folder), path))) {
    return "a link leads from there out of the pack";
  }
  if (found === undefined || (!isInPack && !packs.some((folder) => hasAlso(folder, found)))) return null;
  if (found.isFile() && isEarlier(readFileSync(path, "utf8"))) return null;
  return "the pack already has this file; remove it, or write elsewhere";
}

/** Whether a file is in a folder too, as a hard link: what is written to one of them is in both. */
function hasAlso(folder: string, { nlink, ino, dev }: Stats): boolean {
  if (nlink === 1) return false;
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).some((name) => {
    const inside = lstatSync(join(folder, name), { throwIfNoEntry: false });
    return inside?.ino === ino && inside.dev === dev;
  });
}

function isSame(input: string, found: Stats): boolean {
  const given = statSync(input, { throwIfNoEntry: false });
  return given !== undefined && given.ino === found.ino && given.dev === found.dev;
}

/** Writes to a file that is still where it was checked; a folder of the path may have become a link since. */
function writeTo(path: string, target: string, text: string): boolean {
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = openSync(path, O_WRONLY | (O_NOFOLLOW ?? 0) | (isThere ? 0 : O_CREAT | O_EXCL), 0o666);
  try {
    const place = openedPath(file);
    if (place !== null && place !== target) return false;
    if (fstatSync(file).isFile()) ftruncateSync(file);
    writeFileSync(file, text);
    return true;
  } finally {
    closeSync(file);
  }
}

/** Checks where an output will be written; the returned function writes it there. Links are not followed. */
export function outputTo(path: string, output: Output): (text: string) => void {
  const reject = (why: string): never => {
    throw new UsageError(`cannot write ${output.what} to \`${clean(path)}\`: ${why}`);
  };
  const attempt = <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      if (cause instanceof UsageError) throw cause;
      return reject(reasonOf(cause));
    }
  };
  const target = attempt(() => realTarget(path));
  const check = () => {
    const harm = attempt(() => harmOf(path, target, output));
    if (harm !== null) reject(harm);
  };
  check();
  return (text) => {
    check();
    if (!attempt(() => writeTo(path, target, text))) reject("its folder was replaced meanwhile");
  };
}
