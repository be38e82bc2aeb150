import { closeSync, constants, lstatSync, openSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { clean } from "../base/clean.js";
import { isBelow } from "../language/file-tree.js";
import { UsageError } from "./exit-code.js";

/** What is written, and where it must do no harm. */
export interface Output {
  /** What it is, for messages: `the artifact`. */
  readonly what: string;
  /** The folders of the packs that the command reads; a file of theirs is not overwritten. */
  readonly packs: readonly string[];
  /** Whether a file in such a folder is an earlier output of the same kind, and may be replaced. */
  readonly isEarlier: (text: string) => boolean;
}

function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
  return code === "ENOENT" || code === "ENOTDIR" ? "its folder does not exist" : code;
}

/** Where a file is or would be, with the links of its folder resolved. */
export function realTarget(path: string): string {
  return join(realpathSync(dirname(path)), basename(path));
}

function isReadByPacks(name: string): boolean {
  return /\.ya?ml$/i.test(name) || name === "tools.json";
}

/** Why a file must not be written inside a pack; null where it may. */
function harmOf(path: string, exists: boolean, { packs, isEarlier }: Output): string | null {
  const target = realTarget(path);
  const pack = packs.find((folder) => isBelow(realpathSync(folder), target));
  if (pack === undefined) {
    return packs.some((folder) => isBelow(resolve(folder), path)) ? "a link leads from there out of the pack" : null;
  }
  if (isReadByPacks(basename(path))) return "the pack would take it for a part of itself; give it another name";
  if (!exists || isEarlier(readFileSync(path, "utf8"))) return null;
  return "the pack has such a file already; remove it, or write elsewhere";
}

/** Checks where an output is to be written; what it gives back writes it there. Links are not followed. */
export function outputTo(path: string, output: Output): (text: string) => void {
  const refuse = (why: string): never => {
    throw new UsageError(`cannot write ${output.what} to \`${clean(path)}\`: ${why}`);
  };
  const attempt = <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      return refuse(reasonOf(cause));
    }
  };
  const found = attempt(() => lstatSync(path, { throwIfNoEntry: false }));
  if (found?.isSymbolicLink() === true) refuse("it is a symbolic link; give the file that it leads to");
  const harm = attempt(() => harmOf(path, found !== undefined, output));
  if (harm !== null) refuse(harm);
  const { O_WRONLY, O_CREAT, O_EXCL, O_TRUNC, O_NOFOLLOW } = constants;
  const flags = O_WRONLY | (O_NOFOLLOW ?? 0) | (found === undefined ? O_CREAT | O_EXCL : O_TRUNC);
  return (text) =>
    attempt(() => {
      const file = openSync(path, flags, 0o666);
      try {
        writeFileSync(file, text);
      } finally {
        closeSync(file);
      }
    });
}
