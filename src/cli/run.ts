import type { ExitCode } from "./exit-code.js";

/** What a command line asks for. Each loads its command when it runs: most of the code belongs to a few of them. */
export type Run = () => Promise<ExitCode>;

/** Takes what a command line asks for. */
export type Ask = (run: Run) => void;
