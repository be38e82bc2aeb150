import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { UsageError } from "../exit-code.js";
import { statNamed } from "../pack-folder.js";

/** A folder that has nothing to lose. */
export interface NewFolder {
  write(name: string, text: string): void;
}

/** A folder that does not exist yet, or is empty; it is made with its first file. */
export function newFolder(path: string, name: string): NewFolder {
  const stats = statNamed(path, name);
  if (stats !== undefined && (!stats.isDirectory() || readdirSync(path).length > 0)) {
    throw new UsageError(`\`${name}\` is not empty; give a new folder`);
  }
  return {
    write(file, text) {
      try {
        mkdirSync(dirname(join(path, file)), { recursive: true });
        writeFileSync(join(path, file), text, { flag: "wx" });
      } catch (cause) {
        const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
        throw new UsageError(`\`${name}/${file}\` cannot be written: ${code}`);
      }
    },
  };
}
