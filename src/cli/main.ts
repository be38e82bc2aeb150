import { join } from "node:path";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { DEFAULT_BOUNDS, DEFAULT_SESSIONS } from "../analysis/default-bounds.js";
import { cleanLine, cleanLines } from "../base/clean.js";
import { addAgentVerbs } from "./agent-verbs.js";
import { addAuditVerbs } from "./audit-verbs.js";
import type { CompileArguments } from "./commands/compile.js";
import { EXIT, type ExitCode, UsageError } from "./exit-code.js";
import { checkGivenValues } from "./given-values.js";
import {
  rejectIdleCheckOptions,
  rejectIdleDiffOptions,
  rejectIdleGraphOptions,
  rejectIdlePackOptions,
} from "./idle-options.js";
import {
  DIFF_FORMATS,
  type DiffFormat,
  FORMATS,
  type Format,
  GRAPH_FORMATS,
  type GraphFormat,
} from "./output-formats.js";
import { packageVersion } from "./package-file.js";
import { addPlatformVerbs } from "./platform-verbs.js";
import { rootOf, rootOption } from "./root-option.js";
import type { Ask, Run } from "./run.js";
import { addApprovalVerbs, addSessionVerbs, addWorkflowVerbs } from "./session-verbs.js";
import { addStoreVerbs } from "./store-verbs.js";
import type { Terminal } from "./terminal.js";
import { addTryingVerbs } from "./trying-verbs.js";

function compiling(terminal: Terminal, given: CompileArguments): Run {
  return async () => (await import("./commands/compile.js")).compileCommand(terminal, given);
}

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
  readonly sessions: number;
}

interface VerifyFlags extends CompileFlags {
  readonly certificate?: string;
  readonly check?: string;
}

function verifying(terminal: Terminal, pack: string, flags: VerifyFlags): Run {
  const { certificate, check, tools, root } = flags;
  const file = check ?? certificate;
  const explore = compiling(terminal, asked(pack, flags, null));
  if (file === undefined) return explore;
  const inputs = [flags.traces, flags.diff].filter((name) => name !== undefined);
  const others = { inputs, ...(flags.report === undefined ? {} : { report: flags.report }) };
  const given = { pack, file, ...others, ...(tools === undefined ? {} : { tools }), ...rootOf(root) };
  return async () => {
    const { certificateWriter, checkCommand } = await import("./commands/certificate.js");
    if (check !== undefined) return checkCommand(terminal, given);
    const write = certificateWriter(terminal, given);
    const code = await explore();
    return code === EXIT.clean ? write() : code;
  };
}

function asked(pack: string, flags: CompileFlags, out: string | null): CompileArguments {
  const { format, tools, root, warningsAsErrors = false, golden, verify = false, witnesses: isFull = false } = flags;
  const { depth, states, sessions } = flags;
  return {
    pack,
    out,
    format,
    warningsAsErrors,
    golden,
    explores: verify ? { isFull, sessions } : null,
    report: flags.report ?? null,
    traces: flags.traces ?? null,
    diff: flags.diff ?? null,
    bounds: { depth, states },
    ...(tools === undefined ? {} : { tools }),
    ...rootOf(root),
  };
}

function compileOptions(command: Command): Command {
  return rootOption(command)
    .argument("<pack>", "the folder that holds the contracts")
    .addOption(new Option("--format <format>", "how findings are printed").choices(FORMATS).default("text"))
    .option("--tools <file>", "tool definitions to use instead of the pack's tools.json")
    .option("--warnings-as-errors", "fail on warnings")
    .option("--no-golden", "do not play the golden cases");
}

function positive(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new InvalidArgumentError("expected a whole number above 0.");
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

/** How many sessions of a workflow are explored together. */
function sessionsOption(command: Command): Command {
  const option = new Option("--sessions <count>", "most sessions of a role in a workflow");
  return command.addOption(option.argParser(positive).default(DEFAULT_SESSIONS.ofRole));
}

function reportOptions(command: Command): Command {
  return command
    .option("--report <file>", "write a page for reviewers (HTML)")
    .option("--traces <file>", "recorded events of a guard; the report then shows what was exercised")
    .option("--diff <old>", "an earlier pack or artifact; the report then highlights what changed");
}

/** The default place of an artifact: inside its pack, where only YAML files are read. */
function defaultOut(pack: string): string {
  return join(pack, "artifact.json");
}

function addPackVerbs(root: Command, terminal: Terminal, ask: Ask): void {
  sessionsOption(
    boundOptions(
      reportOptions(compileOptions(root.command("compile").description("check a pack and write its artifact"))),
    ),
  )
    .option("-o, --out <file>", "where the artifact is written (default: artifact.json in the pack)")
    .option("--verify", "explore the pack first, as `verify` does; no artifact is written if that finds an error")
    .action((pack: string, flags: CompileFlags, command: Command) => {
      rejectIdlePackOptions(command, flags);
      ask(compiling(terminal, asked(pack, flags, flags.out ?? defaultOut(pack))));
    });
  compileOptions(root.command("check").description("check a pack, writing nothing")).action(
    (pack: string, flags: CompileFlags) => ask(compiling(terminal, asked(pack, flags, null))),
  );
  sessionsOption(
    boundOptions(
      reportOptions(
        compileOptions(root.command("verify").description("explore what a pack allows, and check its claims")),
      ),
    ),
  )
    .option("--witnesses", "print the session found for every tool and rule")
    .option("--certificate <file>", "write down what is proved, for --check; nothing is written if there is an error")
    .option("--check <file>", "check such a certificate instead of exploring")
    .action((pack: string, given: VerifyFlags, command: Command) => {
      const flags = { ...given, verify: true };
      rejectIdlePackOptions(command, flags);
      rejectIdleCheckOptions(command, flags);
      ask(verifying(terminal, pack, flags));
    });
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
function addReviewVerbs(root: Command, terminal: Terminal, ask: Ask): void {
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
      rejectIdleGraphOptions(command, flags);
      const { format, out = null, diff = null, traces = null, verify: explores, depth, states } = flags;
      const bounds = { depth, states };
      const given = { source, format, out, diff, traces, explores, bounds, ...rootOf(flags.root) };
      ask(async () => (await import("./commands/graph.js")).graphCommand(terminal, given));
    });
  rootOption(boundOptions(root.command("diff").description("show what a change of a pack means")))
    .argument("<old>", "the folder of the earlier pack, or its artifact")
    .argument("<new>", "the folder of the later pack, or its artifact")
    .addOption(new Option("--format <format>", "how it is printed").choices(DIFF_FORMATS).default("text"))
    .addOption(new Option("--fail-on <change>", "fail on such a change").choices(["loosened"]))
    .option("--no-search", "only compare the rules, without searching for calls that are judged differently")
    .action((before: string, after: string, flags: DiffFlags, command: Command) => {
      rejectIdleDiffOptions(command, flags);
      const { format, failOn, search, root: within, depth, states } = flags;
      const given = {
        before,
        after,
        format,
        failsOnLoosened: failOn === "loosened",
        bounds: search ? { depth, states } : null,
        ...rootOf(within),
      };
      ask(async () => (await import("./commands/diff.js")).diffCommand(terminal, given));
    });
}

/** A message of the parser, which quotes its input; a separate line may only suggest a name. */
function parserMessage(text: string): string {
  const [, message = text, suggestion = ""] = /^(.*?)(\n\(Did you mean [^\n]*\?\))?\n$/s.exec(text) ?? [];
  return `${cleanLine(message)}${cleanLines(suggestion)}\n`;
}

function program(terminal: Terminal, ask: Ask): Command {
  const root = new Command("contracts")
    .description("Compile and check the contracts of an agent's tools")
    .version(packageVersion())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      outputError: (text, write) => write(parserMessage(text)),
    });
  addPackVerbs(root, terminal, ask);
  addTryingVerbs(root, terminal, ask);
  root
    .command("explain")
    .description("show what a code means and how to fix it")
    .argument("<code>", "the code in brackets after a finding, or the reason of a refusal")
    .action((code: string) => ask(async () => (await import("./commands/explain.js")).explainCommand(terminal, code)));
  addReviewVerbs(root, terminal, ask);
  root
    .command("demo")
    .description("run a scripted agent on an example pack, guarded")
    .action(() => ask(async () => (await import("./commands/demo.js")).demoCommand(terminal)));
  addPlatformVerbs(root, terminal, ask);
  addAgentVerbs(root, terminal, ask);
  addStoreVerbs(root, terminal, ask);
  addSessionVerbs(root, terminal, ask);
  addWorkflowVerbs(root, terminal, ask);
  addApprovalVerbs(root, terminal, ask);
  addAuditVerbs(root, terminal, ask);
  checkGivenValues(root);
  return root;
}

/** Runs one command; never rejects, and never shows a stack trace unless asked for. */
export async function main(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const asked: Run[] = [];
  try {
    program(terminal, (run) => asked.push(run)).parse([...args], { from: "user" });
    const [run] = asked;
    return run === undefined ? EXIT.clean : await run();
  } catch (cause) {
    return failed(cause, terminal);
  }
}

/** Reports what went wrong: a mistake on the command line in one line, an internal bug as such. */
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
