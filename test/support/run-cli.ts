import { main } from "../../src/cli/main.js";

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Setting {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly isTTY?: boolean;
}

export const REPOSITORY = new URL("../../", import.meta.url).pathname;

/** Runs the command line in this process and keeps what it printed. */
export function runCli(args: readonly string[], { cwd = REPOSITORY, env = {}, isTTY = false }: Setting = {}): Ran {
  let stdout = "";
  let stderr = "";
  const code = main(args, {
    cwd,
    env,
    stdout: {
      isTTY,
      write(text) {
        stdout += text;
      },
    },
    stderr: {
      write(text) {
        stderr += text;
      },
    },
  });
  return { code, stdout, stderr };
}
