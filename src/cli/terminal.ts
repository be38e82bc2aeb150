/** The environment of a command, so that tests need no child process. */
export interface Terminal {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
  /** What a command reads; standard input of the process if it is absent. */
  readonly stdin?: AsyncIterable<Uint8Array>;
}

/** Somewhere to write text. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
}

/** Whether to use colours: only on a terminal, and never with NO_COLOR. */
export function wantsColor({ env, stdout }: Terminal): boolean {
  return stdout.isTTY === true && env.NO_COLOR === undefined;
}
