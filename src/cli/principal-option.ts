import { resolve } from "node:path";
import { UsageError } from "./exit-code.js";
import { readNamedFile } from "./read-named-file.js";
import type { Terminal } from "./terminal.js";

/** The option of a guard for the principal whose attributes stand in a file; none without one. */
export function principalOption({ cwd }: Terminal, file: string | null): { readonly principal?: unknown } {
  if (file === null) return {};
  try {
    return { principal: JSON.parse(readNamedFile(resolve(cwd, file), file)) };
  } catch (cause) {
    if (cause instanceof SyntaxError)
      throw new UsageError(`\`${file}\` is not JSON; give the attributes of the principal`);
    throw cause;
  }
}
