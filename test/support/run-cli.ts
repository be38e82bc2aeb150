import { Readable } from "node:stream";
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
  /** What the command reads. */
  readonly stdin?: string;
}

export const REPOSITORY = new URL("../../", import.meta.url).pathname;

interface Printed {
  stdout: string;
  stderr: string;
}

function start(
  args: readonly string[],
  printed: Printed,
  { cwd = REPOSITORY, env = {}, isTTY = false, stdin = "" }: Setting,
) {
  const stdout = {
    isTTY,
    write(text: string) {
      printed.stdout += text;
    },
  };
  const stderr = {
    isTTY,
    write(text: string) {
      printed.stderr += text;
    },
  };
  return main(args, { cwd, env, stdout, stderr, stdin: Readable.from([Buffer.from(stdin)]) });
}

/** Runs a command in this process and keeps what it printed. */
export async function waitForCli(args: readonly string[], setting: Setting = {}): Promise<Ran> {
  const printed = { stdout: "", stderr: "" };
  const code = await start(args, printed, setting);
  return { code, ...printed };
}
