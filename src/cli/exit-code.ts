/** The exit codes of commands, for scripts. */
export const EXIT = { clean: 0, findings: 1, usage: 2, internal: 3 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A mistake on the command line, or a problem of the machine: reported in one line, exit code 2. */
export class UsageError extends Error {}
