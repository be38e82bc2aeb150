import { type Command, InvalidArgumentError, Option } from "commander";
import { rejectIdleTestOptions, rejectMixedInit } from "./idle-options.js";
import { REPLAY_FORMATS, type ReplayFormat, TEST_FORMATS, type TestFormat } from "./output-formats.js";
import { rootOf, rootOption } from "./root-option.js";
import type { Ask } from "./run.js";
import type { Terminal } from "./terminal.js";

interface TestFlags {
  readonly format: TestFormat;
  readonly coverage?: boolean;
  readonly min?: number;
  readonly mutate?: boolean;
  readonly watch?: boolean;
  readonly only?: string;
  readonly tools?: string;
  readonly root?: string;
}

function percentage(text: string): number {
  const number = Number(text);
  if (/^[0-9]+(?:[.][0-9]+)?$/.test(text) && number <= 100) return number;
  throw new InvalidArgumentError("expected a number from 0 to 100.");
}

function addTestVerb(root: Command, terminal: Terminal, ask: Ask): void {
  rootOption(root.command("test").description("play the golden cases and scenarios of a pack on the guard"))
    .argument("<pack>", "the folder that holds the contracts")
    .addOption(new Option("--format <format>", "how results are printed").choices(TEST_FORMATS).default("text"))
    .option("--only <id>", "play only the golden cases and scenarios with this id")
    .option("--coverage", "say which rules the tests do not exercise, on their passing and their refusing side")
    .addOption(new Option("--min <percent>", "fail below this coverage").argParser(percentage))
    .option("--mutate", "drop or weaken each rule in turn; fail if the tests do not notice it")
    .option("--watch", "run again when a file changes: only its scenario, or everything, until interrupted")
    .option("--tools <file>", "tool definitions to use instead of the pack's tools.json")
    .action((pack: string, flags: TestFlags, command: Command) => {
      const { only = null, coverage = false, min = 0, mutate = false, watch = false, ...others } = flags;
      rejectIdleTestOptions(command, { format: flags.format, coverage });
      const given = { pack, only, coverage: coverage ? { min } : null, mutate, watch, ...others };
      ask(async () => (await import("./commands/test.js")).testCommand(terminal, given));
    });
}

interface ReplayFlags {
  readonly map?: string;
  readonly format: ReplayFormat;
  readonly report?: string;
  readonly root?: string;
}

function addReplayVerb(root: Command, terminal: Terminal, ask: Ask): void {
  rootOption(root.command("replay").description("decide recorded sessions again, on the guard of a pack"))
    .argument("<pack>", "the folder that holds the contracts, or an artifact")
    .argument("<traces...>", "files with recorded sessions, one JSON object a line")
    .option(
      "--map <file>",
      "for logs of another form: a file with JSONPath expressions for `calls`, `tool`, `arguments`, …",
    )
    .addOption(new Option("--format <format>", "how verdicts are printed").choices(REPLAY_FORMATS).default("text"))
    .option("--report <file>", "write a page for reviewers (HTML), with what was exercised and what is refused")
    .action((pack: string, traces: readonly string[], { map, report, format, root: within }: ReplayFlags) => {
      const given = { pack, traces, map: map ?? null, format, report: report ?? null, ...rootOf(within) };
      ask(async () => (await import("./commands/replay.js")).replayCommand(terminal, given));
    });
}

interface InitFlags {
  readonly from?: string;
  readonly mcp?: boolean;
  readonly traces?: string;
}

function addInitVerb(root: Command, terminal: Terminal, ask: Ask): void {
  root
    .command("init")
    .description("write a first pack from tool definitions")
    .argument("<dir>", "a new folder for the contracts")
    .argument("[command...]", "with --mcp, after `--`: the command that starts the MCP server")
    .option("--from <file>", "the definitions of the tools, as JSON")
    .option("--mcp", "ask an MCP server for its tools")
    .option("--traces <file>", "recorded sessions; what holds in all of them is proposed as comments")
    .action((folder: string, mcp: readonly string[], flags: InitFlags) => {
      rejectMixedInit(flags, mcp);
      const given = { folder, from: flags.from ?? null, mcp, traces: flags.traces ?? null };
      ask(async () => (await import("./commands/init.js")).initCommand(terminal, given));
    });
}

/** The verbs that begin a pack, and that try it on cases and recorded sessions. */
export function addTryingVerbs(root: Command, terminal: Terminal, ask: Ask): void {
  addTestVerb(root, terminal, ask);
  addReplayVerb(root, terminal, ask);
  addInitVerb(root, terminal, ask);
}
