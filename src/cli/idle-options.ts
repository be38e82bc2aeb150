import type { Command } from "commander";
import { UsageError } from "./exit-code.js";
import type { Format, GraphFormat, TestFormat } from "./output-formats.js";

/** Options of `verify` that say how to explore, and how to report it. */
const EXPLORING = [
  "depth",
  "states",
  "sessions",
  "witnesses",
  "report",
  "format",
  "golden",
  "warningsAsErrors",
  "certificate",
] as const;

/** What an option needs to have an effect, and the message where that is missing. */
interface Need {
  readonly option: (typeof EXPLORING)[number] | "diff" | "traces" | "coverage" | "min" | "mutate";
  readonly isMet: boolean;
  readonly otherwise: string;
}

/** Options that are not written as they are called. */
const NAMES: Readonly<Partial<Record<string, string>>> = {
  golden: "--no-golden",
  warningsAsErrors: "--warnings-as-errors",
};

/** An option without effect would mislead silently, so it is rejected. */
function rejectIdle(command: Command, needs: readonly Need[]): void {
  const idle = needs.find(({ option, isMet }) => !isMet && command.getOptionValueSource(option) === "cli");
  if (idle !== undefined) throw new UsageError(`${NAMES[idle.option] ?? `--${idle.option}`} ${idle.otherwise}`);
}

function boundNeeds(isMet: boolean, fix: string): readonly Need[] {
  const otherwise = `limits how far a pack is explored, which was not asked for; ${fix}`;
  return [
    { option: "depth", isMet, otherwise },
    { option: "states", isMet, otherwise },
  ];
}

interface PackFlags {
  readonly format: Format;
  readonly report?: string;
  readonly diff?: string;
  readonly verify?: boolean;
}

/** Rejects options of `compile` and `verify` that have no effect with the others. */
export function rejectIdlePackOptions(command: Command, { format, report, diff, verify = false }: PackFlags): void {
  const hasReport = report !== undefined;
  const ofReport = "only adds to the report; give --report FILE too";
  rejectIdle(command, [
    { option: "diff", isMet: hasReport, otherwise: `${ofReport}, or use \`contracts diff\`` },
    { option: "traces", isMet: hasReport, otherwise: ofReport },
    ...boundNeeds(verify || diff !== undefined, "give --verify too"),
    {
      option: "sessions",
      isMet: verify,
      otherwise: "limits how far a workflow is explored, which was not asked for; give --verify too",
    },
    {
      option: "witnesses",
      isMet: format === "text" || format === "json",
      otherwise: `prints sessions, which --format ${format} has no place for; use --format text or json`,
    },
  ]);
}

/** Rejects options of `verify` that have no effect where a certificate is checked. */
export function rejectIdleCheckOptions(command: Command, { check }: { readonly check?: string }): void {
  const otherwise = "has no effect with --check, which explores nothing";
  rejectIdle(
    command,
    EXPLORING.map((option) => ({ option, isMet: check === undefined, otherwise })),
  );
}

interface GraphFlags {
  readonly format: GraphFormat;
  readonly diff?: string;
  readonly verify: boolean;
}

/** Rejects options of `graph` that have no effect with the others. */
export function rejectIdleGraphOptions(command: Command, { format, diff, verify }: GraphFlags): void {
  const isPage = format === "html";
  const otherwise = "only adds to the page; use --format html";
  rejectIdle(command, [
    { option: "diff", isMet: isPage, otherwise: `${otherwise}, or \`contracts diff\`` },
    { option: "traces", isMet: isPage, otherwise },
    ...boundNeeds(isPage && (verify || diff !== undefined), isPage ? "leave out --no-verify" : "use --format html"),
  ]);
}

/** Rejects options of `diff` that have no effect with the others. */
export function rejectIdleDiffOptions(command: Command, { search }: { readonly search: boolean }): void {
  rejectIdle(command, boundNeeds(search, "leave out --no-search"));
}

/** Rejects options of `test` that have no effect with the others. */
export function rejectIdleTestOptions(
  command: Command,
  { format, coverage }: { readonly format: TestFormat; readonly coverage: boolean },
): void {
  const isMet = format !== "junit";
  const otherwise = "prints rules, which --format junit has no place for; use --format text or json";
  rejectIdle(command, [
    { option: "coverage", isMet, otherwise },
    { option: "mutate", isMet, otherwise },
    { option: "min", isMet: coverage, otherwise: "is a limit for the coverage; give --coverage too" },
  ]);
}

/** The tools of a new pack come from one place. */
export function rejectMixedInit(
  { from, mcp = false }: { readonly from?: string; readonly mcp?: boolean },
  command: readonly string[],
): void {
  if ((from === undefined) !== mcp) {
    throw new UsageError("give the tools with --from FILE, or with --mcp -- COMMAND, and not with both");
  }
  if (mcp === (command.length === 0)) {
    throw new UsageError(mcp ? "--mcp needs the command of a server after `--`" : "a command is for --mcp only");
  }
}
