import { closeSync, constants, fstatSync, ftruncateSync, lstatSync, openSync, readSync, writeSync } from "node:fs";
import { clean } from "../../base/clean.js";
import { UsageError } from "../exit-code.js";
import type { Output } from "../terminal.js";

/** Writes so much at once. */
const CHUNK = 256 * 1024;
/** Only its owner reads a log: it has parts of arguments. */
const PRIVATE = 0o600;

/** Where a command writes lines to. */
export interface LineWriter {
  write(line: string): Promise<void>;
  /** Writes what is left. */
  end(): Promise<void>;
}

/** Collects lines, and hands them on in larger pieces. */
class Collected implements LineWriter {
  private text = "";

  constructor(
    private readonly put: (text: string) => Promise<void>,
    private readonly close: () => void,
  ) {}

  async write(line: string): Promise<void> {
    this.text += `${line}\n`;
    if (this.text.length >= CHUNK) await this.flush();
  }

  async end(): Promise<void> {
    await this.flush();
    this.close();
  }

  private async flush(): Promise<void> {
    const { text } = this;
    this.text = "";
    if (text !== "") await this.put(text);
  }
}

/** Writes lines to the output of a command, which may be slower than what is written. */
export function linesTo(output: Output): LineWriter {
  const put = async (text: string) => {
    const isTaken = output.write(text);
    const { once }: { readonly once?: unknown } = Object(output);
    if (isTaken !== false || typeof once !== "function") return;
    // Whoever reads it may also have gone.
    await new Promise<void>((resolve) => {
      once.call(output, "drain", resolve);
      once.call(output, "close", resolve);
    });
  };
  return new Collected(put, () => undefined);
}

function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
  if (code === "ENOENT" || code === "ENOTDIR") return "its folder does not exist";
  if (code === "ELOOP") return "it is a symbolic link; name the file that it leads to";
  return code === "EISDIR" ? "it is a folder" : code;
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text, "utf8");
  for (let from = 0; from < bytes.length; ) from += writeSync(file, bytes, from);
}

/** What a file may hold that is written to: only lines of this kind. They are replaced, or others are added behind them. */
export interface Earlier {
  isKind(line: string): boolean;
  readonly keeps: boolean;
}

/** Requires that a file is empty or begins with a line of its kind, and ends with a whole one where others are added. */
function requireKind(file: number, { isKind, keeps }: Earlier): void {
  const { size } = fstatSync(file);
  if (size === 0) return;
  const start = Buffer.alloc(Math.min(size, 64 * 1024));
  const last = Buffer.alloc(1);
  readSync(file, start, 0, start.length, 0);
  readSync(file, last, 0, 1, size - 1);
  const [first = ""] = start.toString("utf8").split("\n");
  if (!isKind(first)) throw new UsageError("it is there already, with other content");
  if (keeps && last.toString() !== "\n") throw new UsageError("its last line is cut off");
}

/**
 * Writes lines to a file: to a new one, in place of those of an earlier one, or behind them. A file of another kind stays as it
 * is, and links are not followed.
 */
export function linesToFile(path: string, name: string, earlier: Earlier): LineWriter {
  const reject = (cause: unknown): never => {
    const why = cause instanceof UsageError ? cause.message : reasonOf(cause);
    throw new UsageError(`cannot write to \`${clean(name)}\`: ${why}`);
  };
  const attempt = <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      return reject(cause);
    }
  };
  const { O_CREAT, O_WRONLY, O_RDWR, O_APPEND, O_NOFOLLOW } = constants;
  // A device or a pipe holds nothing to be read.
  const isRead = attempt(() => lstatSync(path, { throwIfNoEntry: false }))?.isFile() !== false;
  const how = (isRead ? O_RDWR : O_WRONLY) | (earlier.keeps ? O_APPEND : 0);
  const file = attempt(() => openSync(path, how | O_CREAT | (O_NOFOLLOW ?? 0), PRIVATE));
  if (fstatSync(file).isFile()) {
    attempt(() => requireKind(file, earlier));
    if (!earlier.keeps) attempt(() => ftruncateSync(file));
  }
  return new Collected(
    async (text) => attempt(() => writeAll(file, text)),
    () => closeSync(file),
  );
}
