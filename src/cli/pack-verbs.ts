import { join } from "node:path";
import { type Command, Option } from "commander";
import { DEFAULT_SESSIONS } from "../analysis/default-bounds.js";
import { boundOptions, positive } from "./bound-options.js";
import type { CompileArguments } from "./commands/compile.js";
import { EXIT } from "./exit-code.js";
import { rejectIdleCheckOptions, rejectIdlePackOptions } from "./idle-options.js";
import { FORMATS, type Format } from "./output-formats.js";
import { rootOf, rootOption } from "./root-option.js";
import type { Ask, Run } from "./run.js";
import type { Terminal } from "./terminal.js";

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

/** `compile`. */
export function addCompile(root: Command, terminal: Terminal, ask: Ask): void {
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
}

/** `check`. */
export function addCheck(root: Command, terminal: Terminal, ask: Ask): void {
  compileOptions(root.command("check").description("check a pack, writing nothing")).action(
    (pack: string, flags: CompileFlags) => ask(compiling(terminal, asked(pack, flags, null))),
  );
}

/** `verify`. */
export function addVerify(root: Command, terminal: Terminal, ask: Ask): void {
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
