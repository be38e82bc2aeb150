import type { ExitCode } from "./exit-code.js";

/** A command to run. Each loads its code when it runs: most of the code belongs to a few of them. */
export type Run = () => Promise<ExitCode>;

/** Receives the command that a command line selects. */
export type Ask = (run: Run) => void;
