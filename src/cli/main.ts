import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { DEFAULT_BOUNDS } from "../analysis/verify.js";
import { clean, cleanLine } from "../base/clean.js";
import { checkResponseCommand, RESPONSE_FORMATS, type ResponseFormat } from "./commands/check-response.js";
import { type CompileArguments, compileCommand, defaultOut, FORMATS, type Format } from "./commands/compile.js";
import { demoCommand } from "./commands/demo.js";
import { DIFF_FORMATS, type DiffFormat, diffCommand } from "./commands/diff.js";
import { DOCTOR_FORMATS, type DoctorArguments, doctorCommand } from "./commands/doctor.js";
import { explainCommand } from "./commands/explain.js";
import { GRAPH_FORMATS, type GraphFormat, graphCommand } from "./commands/graph.js";
import { STORE_FORMATS, type StoreFormat, storeMigrateCommand } from "./commands/store.js";
import { TEST_FORMATS, type TestFormat, testCommand } from "./commands/test.js";
import { EXIT, type ExitCode, UsageError } from "./exit-code.js";
import { refuseIdleDiffOptions, refuseIdleGraphOptions, refuseIdlePackOptions } from "./idle-options.js";
import { packageVersion } from "./package-file.js";
import type { Terminal } from "./terminal.js";

interface CompileFlags {
  readonly out?: string;
  readonly format: Format;
  readonly tools?: string;
  readonly root?: string;
  readonly warningsAsErrors?: boolean;
  readonly golden: boolean;
  readonly verify?: boolean;
  readonly witnesses?: boolean;
  readonly report?: string;
  readonly traces?: string;
  readonly diff?: string;
  readonly depth: number;
  readonly states: number;
}

function asked(pack: string, flags: CompileFlags, out: string | null): CompileArguments {
  const { format, tools, root, warningsAsErrors = false, golden, verify = false, witnesses: isFull = false } = flags;
  const { depth, states } = flags;
  return {
    pack,
    out,
    format,
    warningsAsErrors,
    golden,
    explores: verify ? { isFull } : null,
    report: flags.report ?? null,
    traces: flags.traces ?? null,
    diff: flags.diff ?? null,
    bounds: { depth, states },
    ...(tools === undefined ? {} : { tools }),
    ...rootOf(root),
  };
}

function rootOf(root: string | undefined): { readonly root?: string } {
  return root === undefined ? {} : { root };
}

/** Nothing outside a pack is read unless somebody says so. */
function rootOption(command: Command): Command {
  return command.option("--root <folder>", "also read what the pack refers to below this folder (default: the pack)");
}

function compileOptions(command: Command): Command {
  return rootOption(command)
    .argument("<pack>", "the folder that holds the contracts")
    .addOption(new Option("--format <format>", "how findings are printed").choices(FORMATS).default("text"))
    .option("--tools <file>", "tool definitions to use instead of the pack's tools.json")
    .option("--warnings-as-errors", "let warnings fail the run")
    .option("--no-golden", "do not play the golden cases");
}

function positive(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new InvalidArgumentError("a whole number above 0 is needed.");
}

/** How far a pack is explored. */
function boundOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--depth <steps>", "most steps of a session").argParser(positive).default(DEFAULT_BOUNDS.depth),
    )
    .addOption(
      new Option("--states <count>", "most states of one search").argParser(positive).default(DEFAULT_BOUNDS.states),
    );
}

function reportOptions(command: Command): Command {
  return command
    .option("--report <file>", "write a page for reviewers (HTML)")
    .option("--traces <file>", "recorded events of a guard; the report then shows what was exercised")
    .option("--diff <old>", "an earlier pack or artifact; the report then highlights what changed");
}

/** Takes what a command ended with, or will end with. */
type Done = (code: ExitCode | Promise<ExitCode>) => void;

function addPackVerbs(root: Command, terminal: Terminal, done: Done): void {
  boundOptions(
    reportOptions(compileOptions(root.command("compile").description("check a pack and write its artifact"))),
  )
    .option("-o, --out <file>", "where the artifact is written (default: artifact.json in the pack)")
    .option("--verify", "explore the pack first, as `verify` does; without an artifact if that finds an error")
    .action((pack: string, flags: CompileFlags, command: Command) => {
      refuseIdlePackOptions(command, flags);
      done(compileCommand(terminal, asked(pack, flags, flags.out ?? defaultOut(pack))));
    });
  compileOptions(root.command("check").description("check a pack, writing nothing")).action(
    (pack: string, flags: CompileFlags) => done(compileCommand(terminal, asked(pack, flags, null))),
  );
  boundOptions(
    reportOptions(compileOptions(root.command("verify").description("explore what a pack allows, and try its claims"))),
  )
    .option("--witnesses", "print the session found for every tool and rule")
    .action((pack: string, given: CompileFlags, command: Command) => {
      const flags = { ...given, verify: true };
      refuseIdlePackOptions(command, flags);
      done(compileCommand(terminal, asked(pack, flags, null)));
    });
}

interface TestFlags {
  readonly format: TestFormat;
  readonly only?: string;
  readonly tools?: string;
  readonly root?: string;
}

function addTestVerb(root: Command, terminal: Terminal, done: Done): void {
  rootOption(root.command("test").description("play the golden cases of a pack on the guard"))
    .argument("<pack>", "the folder that holds the contracts")
    .addOption(new Option("--format <format>", "how results are printed").choices(TEST_FORMATS).default("text"))
    .option("--only <id>", "play only the golden cases of this id")
    .option("--tools <file>", "tool definitions to use instead of the pack's tools.json")
    .action((pack: string, { only, ...flags }: TestFlags) =>
      done(testCommand(terminal, { pack, only: only ?? null, ...flags })),
    );
}

interface GraphFlags {
  readonly format: GraphFormat;
  readonly out?: string;
  readonly diff?: string;
  readonly traces?: string;
  readonly verify: boolean;
  readonly root?: string;
  readonly depth: number;
  readonly states: number;
}

interface DiffFlags {
  readonly format: DiffFormat;
  readonly failOn?: "loosened";
  readonly root?: string;
  readonly search: boolean;
  readonly depth: number;
  readonly states: number;
}

/** The verbs that show packs to people. */
function addReviewVerbs(root: Command, terminal: Terminal, done: Done): void {
  rootOption(
    boundOptions(
      root.command("graph").description("draw a pack: its phases and tools, or all of it as a page to read"),
    ),
  )
    .argument("<pack>", "the folder that holds the contracts, or an artifact")
    .addOption(new Option("--format <format>", "what is drawn").choices(GRAPH_FORMATS).default("mermaid"))
    .option("-o, --out <file>", "where it is written (default: standard output)")
    .option("--diff <old>", "html: an earlier pack or artifact; what changed is highlighted")
    .option("--traces <file>", "html: recorded events of a guard; what was exercised is shown")
    .option("--no-verify", "html: do not explore the pack by itself; --diff still compares")
    .action((source: string, flags: GraphFlags, command: Command) => {
      refuseIdleGraphOptions(command, flags);
      const { format, out = null, diff = null, traces = null, verify: explores, depth, states } = flags;
      const bounds = { depth, states };
      done(graphCommand(terminal, { source, format, out, diff, traces, explores, bounds, ...rootOf(flags.root) }));
    });
  rootOption(boundOptions(root.command("diff").description("tell what a change of a pack means")))
    .argument("<old>", "the folder of the earlier pack, or its artifact")
    .argument("<new>", "the folder of the later pack, or its artifact")
    .addOption(new Option("--format <format>", "how it is printed").choices(DIFF_FORMATS).default("text"))
    .addOption(new Option("--fail-on <change>", "let the run fail on such a change").choices(["loosened"]))
    .option("--no-search", "only read both packs, and look for no calls that they judge differently")
    .action((before: string, after: string, flags: DiffFlags, command: Command) => {
      refuseIdleDiffOptions(command, flags);
      const { format, failOn, search, root: within, depth, states } = flags;
      done(
        diffCommand(terminal, {
          before,
          after,
          format,
          failsOnLoosened: failOn === "loosened",
          bounds: search ? { depth, states } : null,
          ...rootOf(within),
        }),
      );
    });
}

function program(args: readonly string[], terminal: Terminal, done: Done): Command {
  const root = new Command("contracts")
    .description("Compile and check the contracts of an agent's tools")
    .version(packageVersion())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      // The parser quotes what it was given.
      outputError: (text, write) => write(args.reduce((all, arg) => all.replaceAll(arg, clean(arg)), text)),
    });
  addPackVerbs(root, terminal, done);
  addTestVerb(root, terminal, done);
  root
    .command("explain")
    .description("tell what a code means and how to mend what it finds")
    .argument("<code>", "the code in brackets behind a finding, or the reason of a refusal")
    .action((code: string) => done(explainCommand(terminal, code)));
  addReviewVerbs(root, terminal, done);
  root
    .command("demo")
    .description("let a scripted agent work through an example pack, guarded")
    .action(() => done(demoCommand(terminal)));
  addPlatformVerbs(root, terminal, done);
  addStoreVerbs(root, terminal, done);
  return root;
}

/** The verbs for what guards have stored. */
function addStoreVerbs(root: Command, terminal: Terminal, done: Done): void {
  root
    .command("store")
    .description("look after a store of sessions")
    .command("migrate")
    .description("set up a store, or bring its schema up to date; back it up first")
    .argument("<url>", "sqlite:./guard.db or postgres://user@host:5432/database")
    .addOption(new Option("--format <format>", "how it is printed").choices(STORE_FORMATS).default("text"))
    .action((url: string, { format }: { readonly format: StoreFormat }) =>
      done(storeMigrateCommand(terminal, { url, format })),
    );
}

interface ResponseFlags {
  readonly rich?: boolean;
  readonly format: ResponseFormat;
}

/** The verbs for agents on the Pipelines platform. */
function addPlatformVerbs(root: Command, terminal: Terminal, done: Done): void {
  root
    .command("check-response")
    .description("check the body of an agent's reply against the response contract")
    .argument("<file>", "a JSON file, or - for standard input")
    .option("--rich", "demand a transcript that a judge can grade")
    .addOption(new Option("--format <format>", "how findings are printed").choices(RESPONSE_FORMATS).default("text"))
    .action((file: string, { rich = false, format }: ResponseFlags) =>
      done(checkResponseCommand(terminal, { file, rich, format })),
    );
  root
    .command("doctor")
    .description("examine a running agent endpoint as the platform would meet it")
    .requiredOption("--url <url>", "where the endpoint listens")
    .option("--token <token>", "what the endpoint expects; others on this machine may see it, so prefer --token-env")
    .option("--token-env <name>", "the environment variable that holds the token (default: AGENT_TOKEN, if set)")
    .option("--auth-header <name>", "the header that carries it (default: Authorization)")
    .option("--scheme <word>", 'what stands before the token (default: Bearer; "" for nothing)')
    .option("--pack <folder>", "check the tools.json of this pack too")
    .option("--tools <file>", "check these tool definitions too")
    .option("--proxy-probe <url>", "knock at this proxy; nothing is contacted otherwise")
    .option("--no-probe", "knock at no proxy (the default)")
    .option("--rich", "the agent is registered with the rich response contract", false)
    .option("--timeout <seconds>", "how long a dispatch may take (default: 300)")
    .addOption(new Option("--format <format>", "how the report is printed").choices(DOCTOR_FORMATS).default("text"))
    .action((flags: DoctorArguments) => done(doctorCommand(terminal, flags)));
}

/** Runs one command; never throws, and never shows a stack trace of ours unless asked for. Only some commands wait. */
export function main(args: readonly string[], terminal: Terminal): ExitCode | Promise<ExitCode> {
  const outcome: { code: ExitCode | Promise<ExitCode> } = { code: EXIT.clean };
  const command = program(args, terminal, (result) => {
    outcome.code = result;
  });
  try {
    command.parse([...args], { from: "user" });
    const { code } = outcome;
    return code instanceof Promise ? code.catch((cause: unknown) => failed(cause, terminal)) : code;
  } catch (cause) {
    return failed(cause, terminal);
  }
}

/** Says what went wrong: a mistake on the command line in one line, a bug of ours as such. */
function failed(cause: unknown, terminal: Terminal): ExitCode {
  if (cause instanceof CommanderError) return cause.exitCode === 0 ? EXIT.clean : EXIT.usage;
  if (cause instanceof UsageError) {
    terminal.stderr.write(`contracts: ${cleanLine(cause.message)}\n`);
    return EXIT.usage;
  }
  const details = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  terminal.stderr.write(
    "contracts: internal error: this is a bug in contract-guard; set CONTRACTS_DEBUG=1 to see where\n",
  );
  if (terminal.env.CONTRACTS_DEBUG !== undefined) terminal.stderr.write(`${details}\n`);
  return EXIT.internal;
}
