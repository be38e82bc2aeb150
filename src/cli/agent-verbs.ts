import { type Command, InvalidArgumentError, Option } from "commander";
import type { HookArguments } from "./commands/hook.js";
import type { McpArguments } from "./commands/mcp.js";
import { UsageError } from "./exit-code.js";
import type { Ask } from "./run.js";
import type { Terminal } from "./terminal.js";

interface McpFlags {
  readonly pack: string;
  readonly store?: string;
  readonly session?: string;
  readonly principal?: string;
  readonly approver?: "manual" | "elicit";
  readonly url?: string;
}

function mcpArguments(command: readonly string[], flags: McpFlags): McpArguments {
  const { pack, store = null, session = null, principal = null, approver = null, url = null } = flags;
  return { pack, store, session, principal, approver, url, command };
}

interface HookFlags {
  readonly pack: string;
  readonly store: string;
  readonly session?: string;
  readonly principal?: string;
  readonly approver?: "manual";
  readonly unmatched: "block" | "allow";
  readonly wait: number;
}

function hookArguments(flags: HookFlags): HookArguments {
  const { pack, store, session = null, principal = null, approver, unmatched, wait: waitSeconds } = flags;
  return { pack, store, session, principal, isManual: approver === "manual", unmatched, waitSeconds };
}

function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError("expected a number of seconds.");
}

/** A hook that fails in another way than by this kind of error would let the call through. */
async function loadHook(): Promise<typeof import("./commands/hook.js")> {
  try {
    return await import("./commands/hook.js");
  } catch {
    throw new UsageError("the command cannot be loaded: install contract-guard again");
  }
}

function addHook(root: Command, terminal: Terminal, ask: Ask): void {
  root
    .command("hook")
    .description("answer an event of a coding agent, before and after each of its calls")
    .requiredOption("--pack <pack>", "the folder that holds the contracts, or an artifact")
    .requiredOption("--store <url>", "where sessions are kept: sqlite:./guard.db or postgres://user@host:5432/database")
    .option("--session <id>", "the id of the session (default: what the agent calls its own)")
    .option("--principal <file>", "a JSON file with the attributes of the caller")
    .addOption(new Option("--approver <who>", "who approves calls: `contracts approvals`").choices(["manual"]))
    .addOption(
      new Option("--unmatched <what>", "what happens to tools without a contract")
        .choices(["block", "allow"])
        .default("block"),
    )
    .addOption(new Option("--wait <seconds>", "how long a call waits for an approval").argParser(seconds).default(50))
    .action((flags: HookFlags) => ask(async () => (await loadHook()).hookCommand(terminal, hookArguments(flags))));
}

/** The verbs that stand between an agent and its tools. */
export function addAgentVerbs(root: Command, terminal: Terminal, ask: Ask): void {
  root
    .command("mcp")
    .description("serve the tools of an MCP server under the contracts of a pack")
    .argument("[command...]", "after `--`: the command that starts the server")
    .requiredOption("--pack <pack>", "the folder that holds the contracts, or an artifact")
    .option("--url <url>", "the address of a server that speaks streamable HTTP, instead of a command")
    .option("--store <url>", "where the session is kept: sqlite:./guard.db or postgres://user@host:5432/database")
    .option("--session <id>", "the id of the session, to continue it (default: a new one)")
    .option("--principal <file>", "a JSON file with the attributes of the caller")
    .addOption(
      new Option("--approver <who>", "who approves calls: `contracts approvals`, or the user of the client").choices([
        "manual",
        "elicit",
      ]),
    )
    .action((command: readonly string[], flags: McpFlags) =>
      ask(async () => (await import("./commands/mcp.js")).mcpCommand(terminal, mcpArguments(command, flags))),
    );
  addHook(root, terminal, ask);
}
