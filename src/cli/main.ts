import { Command, CommanderError } from "commander";
import { cleanLine, cleanLines } from "../base/clean.js";
import { addAgentVerbs } from "./agent-verbs.js";
import { addAuditVerbs } from "./audit-verbs.js";
import { EXIT, type ExitCode, UsageError } from "./exit-code.js";
import { checkGivenValues } from "./given-values.js";
import { addCheck, addCompile, addVerify } from "./pack-verbs.js";
import { packageVersion } from "./package-file.js";
import { addPlatformVerbs } from "./platform-verbs.js";
import { addReviewVerbs } from "./review-verbs.js";
import type { Ask, Run } from "./run.js";
import { addApprovalVerbs, addSessionVerbs, addWorkflowVerbs } from "./session-verbs.js";
import { addStoreVerbs } from "./store-verbs.js";
import type { Terminal } from "./terminal.js";
import { addTryingVerbs } from "./trying-verbs.js";

function addExplain(root: Command, terminal: Terminal, ask: Ask): void {
  root
    .command("explain")
    .description("show what a code means and how to fix it")
    .argument("<code>", "the code in brackets after a finding, or the reason of a refusal")
    .action((code: string) => ask(async () => (await import("./commands/explain.js")).explainCommand(terminal, code)));
}

function addDemo(root: Command, terminal: Terminal, ask: Ask): void {
  root
    .command("demo")
    .description("run a scripted agent on an example pack, guarded")
    .action(() => ask(async () => (await import("./commands/demo.js")).demoCommand(terminal)));
}

interface VerbGroup {
  readonly verbs: readonly string[];
  readonly add: (root: Command, terminal: Terminal, ask: Ask) => void;
}

/** All verbs, in the order of the help. */
const GROUPS: readonly VerbGroup[] = [
  { verbs: ["compile"], add: addCompile },
  { verbs: ["check"], add: addCheck },
  { verbs: ["verify"], add: addVerify },
  { verbs: ["test", "replay", "init"], add: addTryingVerbs },
  { verbs: ["explain"], add: addExplain },
  { verbs: ["graph", "diff"], add: addReviewVerbs },
  { verbs: ["demo"], add: addDemo },
  { verbs: ["check-response", "doctor"], add: addPlatformVerbs },
  { verbs: ["mcp", "hook"], add: addAgentVerbs },
  { verbs: ["store"], add: addStoreVerbs },
  { verbs: ["sessions"], add: addSessionVerbs },
  { verbs: ["workflows"], add: addWorkflowVerbs },
  { verbs: ["approvals"], add: addApprovalVerbs },
  { verbs: ["audit"], add: addAuditVerbs },
];

/** A message of the parser, which quotes its input; a separate line may only suggest a name. */
function parserMessage(text: string): string {
  const [, message = text, suggestion = ""] = /^(.*?)(\n\(Did you mean [^\n]*\?\))?\n$/s.exec(text) ?? [];
  return `${cleanLine(message)}${cleanLines(suggestion)}\n`;
}

/** The commands of a command line that starts with `first`: setting all of them up takes longer than what a check then does with one. */
function program(first: string | undefined, terminal: Terminal, ask: Ask): Command {
  const root = new Command("contracts")
    .description("Compile and check the contracts of an agent's tools")
    .version(packageVersion())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      outputError: (text, write) => write(parserMessage(text)),
    });
  const asked = GROUPS.filter(({ verbs }) => verbs.includes(first ?? ""));
  for (const { add } of asked.length === 0 ? GROUPS : asked) add(root, terminal, ask);
  checkGivenValues(root);
  return root;
}

/** Runs one command; never rejects, and never shows a stack trace unless asked for. */
export async function main(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const asked: Run[] = [];
  try {
    program(args[0], terminal, (run) => asked.push(run)).parse([...args], { from: "user" });
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
