import { Command, CommanderError, Option } from "commander";
import { type CompileArguments, compileCommand, defaultOut, FORMATS, type Format } from "./commands/compile.js";
import { demoCommand } from "./commands/demo.js";
import { explainCommand } from "./commands/explain.js";
import { EXIT, type ExitCode, UsageError } from "./exit-code.js";
import { packageVersion } from "./package-file.js";
import type { Terminal } from "./terminal.js";

interface CompileFlags {
  readonly out?: string;
  readonly format: Format;
  readonly tools?: string;
  readonly warningsAsErrors?: boolean;
}

function asked(pack: string, flags: CompileFlags, out: string | null): CompileArguments {
  const { format, tools, warningsAsErrors = false } = flags;
  return { pack, out, format, warningsAsErrors, ...(tools === undefined ? {} : { tools }) };
}

function compileOptions(command: Command): Command {
  return command
    .argument("<pack>", "the folder that holds the contracts")
    .addOption(new Option("--format <format>", "how findings are printed").choices(FORMATS).default("text"))
    .option("--tools <file>", "tool definitions to use instead of the pack's tools.json")
    .option("--warnings-as-errors", "let warnings fail the run");
}

function program(terminal: Terminal, done: (code: ExitCode | Promise<ExitCode>) => void): Command {
  const root = new Command("contracts")
    .description("Compile and check the contracts of an agent's tools")
    .version(packageVersion())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    });
  compileOptions(root.command("compile").description("check a pack and write its artifact"))
    .option("-o, --out <file>", "where the artifact is written (default: artifact.json in the pack)")
    .action((pack: string, flags: CompileFlags) => {
      done(compileCommand(terminal, asked(pack, flags, flags.out ?? defaultOut(pack))));
    });
  compileOptions(root.command("check").description("check a pack, writing nothing")).action(
    (pack: string, flags: CompileFlags) => done(compileCommand(terminal, asked(pack, flags, null))),
  );
  root
    .command("explain")
    .description("tell what a code means and how to mend what it finds")
    .argument("<code>", "the code in brackets behind a finding")
    .action((code: string) => done(explainCommand(terminal, code)));
  root
    .command("demo")
    .description("let a scripted agent work through an example pack, guarded")
    .action(() => done(demoCommand(terminal)));
  return root;
}

/** Runs one command; never throws, and never shows a stack trace of ours unless asked for. Only some commands wait. */
export function main(args: readonly string[], terminal: Terminal): ExitCode | Promise<ExitCode> {
  const outcome: { code: ExitCode | Promise<ExitCode> } = { code: EXIT.clean };
  const command = program(terminal, (result) => {
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
    terminal.stderr.write(`contracts: ${cause.message}\n`);
    return EXIT.usage;
  }
  const details = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  terminal.stderr.write(
    "contracts: internal error: this is a bug in contract-guard; set CONTRACTS_DEBUG=1 to see where\n",
  );
  if (terminal.env.CONTRACTS_DEBUG !== undefined) terminal.stderr.write(`${details}\n`);
  return EXIT.internal;
}
