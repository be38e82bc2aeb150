import { writeFileSync } from "node:fs";
import { UsageError } from "./exit-code.js";

/** Writes what a command made; where that cannot be done, the command line was wrong. */
export function writeOutput(path: string, text: string, what: string): void {
  try {
    writeFileSync(path, text);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
    const why = code === "ENOENT" ? "its folder does not exist" : code;
    throw new UsageError(`cannot write ${what} to \`${path}\`: ${why}`);
  }
}
