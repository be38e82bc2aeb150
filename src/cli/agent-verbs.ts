import { type Command, Option } from "commander";
import type { McpArguments } from "./commands/mcp.js";
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
}
