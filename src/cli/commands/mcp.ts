import { randomUUID } from "node:crypto";
import type { GuardedServer, ServeOptions } from "../../adapters/mcp/public.js";
import type { Artifact } from "../../artifact/compiled.js";
import { cleanLine } from "../../base/clean.js";
import type { DurableStore } from "../../guard/durable-store.js";
import { createGuard } from "../../guard/guard.js";
import { isStoreUnavailable } from "../../guard/session/store-errors.js";
import { openStore } from "../../stores/open-store.js";
import { StoreError } from "../../stores/store-error.js";
import { EXIT, type ExitCode, UsageError } from "../exit-code.js";
import { packageVersion } from "../package-file.js";
import { principalOption } from "../principal-option.js";
import { readSource } from "../read-source.js";
import type { Terminal } from "../terminal.js";

/** What `mcp` was asked to do. */
export interface McpArguments {
  readonly pack: string;
  readonly store: string | null;
  readonly session: string | null;
  readonly principal: string | null;
  readonly approver: "manual" | "elicit" | null;
  /** The address of the server; null if it is a command. */
  readonly url: string | null;
  readonly command: readonly string[];
}

type Serve = (options: ServeOptions) => Promise<GuardedServer>;

/** The SDK is needed by this command alone, so it is not installed with the package. */
async function loadServe(): Promise<Serve> {
  try {
    return (await import("../../adapters/mcp/public.js")).serveGuarded;
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND")) throw cause;
    const packages = "@modelcontextprotocol/server @modelcontextprotocol/client";
    throw new UsageError(`\`contracts mcp\` needs the SDK of the protocol: npm install ${packages}`);
  }
}

function upstreamOf(
  { cwd, env }: Terminal,
  { url, command: [command, ...args] }: McpArguments,
): ServeOptions["upstream"] {
  if (url !== null && command !== undefined)
    throw new UsageError("give either --url or a command after `--`, not both");
  if (url !== null) {
    if (!URL.canParse(url)) throw new UsageError("--url is not a URL: give one such as http://127.0.0.1:3000/mcp");
    return { url };
  }
  if (command === undefined) throw new UsageError("give the command of the MCP server after `--`, or its --url");
  return { command, args, cwd, env };
}

/** Problems of the machine, of the server or of what the command was given: one line, no stack. */
async function reported<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    throw new UsageError(`${what}: ${cleanLine(cause.message)}`);
  }
}

async function openNamed({ cwd }: Terminal, url: string | null): Promise<DurableStore | null> {
  if (url === null) return null;
  try {
    return await openStore(url, { cwd });
  } catch (cause) {
    if (cause instanceof StoreError || isStoreUnavailable(cause)) throw new UsageError(cause.message);
    throw cause;
  }
}

/** Ends when the server or the client does, or when the process is asked to. */
async function endOf(server: GuardedServer): Promise<"client" | "upstream" | "signal"> {
  const asked = new Promise<"signal">((done) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => done("signal"));
  });
  return Promise.race([server.ended, asked]);
}

async function serve(
  terminal: Terminal,
  given: McpArguments,
  { artifact, store }: { readonly artifact: Artifact; readonly store: DurableStore | null },
): Promise<ExitCode> {
  const upstream = upstreamOf(terminal, given);
  const serveGuarded = await loadServe();
  const { session, approver } = given;
  const sessionId = session ?? randomUUID();
  const guard = await reported(
    "the session cannot be opened",
    createGuard(artifact, {
      sessionId,
      env: terminal.env,
      ...principalOption(terminal, given.principal),
      ...(approver === null ? {} : { approver: "manual" }),
      ...(store === null ? {} : { store }),
    }),
  );
  const ourName = { name: "contract-guard", version: packageVersion() };
  const asking = approver === null ? {} : { approver };
  const serving = serveGuarded({ guard, artifact, upstream, name: ourName, ...asking });
  const server = await reported("the MCP server cannot be reached", serving);
  // Standard output belongs to the protocol.
  terminal.stderr.write(`contracts: session ${cleanLine(sessionId)}\n`);
  // Without the message of the error: it may quote arguments.
  server.stdio({ onerror: ({ name }) => terminal.stderr.write(`contracts: a problem with the client: ${name}\n`) });
  const by = await endOf(server);
  if (by === "upstream") terminal.stderr.write("contracts: the MCP server has ended\n");
  await server.close();
  return by === "upstream" ? EXIT.findings : EXIT.clean;
}

/** Serves the tools of an MCP server over the standard streams, under the contracts of a pack. */
export async function mcpCommand(terminal: Terminal, given: McpArguments): Promise<ExitCode> {
  if (given.approver === "manual" && given.store === null) {
    throw new UsageError("--approver manual needs a --store, in which `contracts approvals` finds the requests");
  }
  const source = readSource(terminal, given.pack);
  if (source === null) return EXIT.findings;
  const store = await openNamed(terminal, given.store);
  try {
    return await serve(terminal, given, { artifact: source.artifact, store });
  } finally {
    await store?.close();
  }
}
