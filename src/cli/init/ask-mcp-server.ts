import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.js";
import { UsageError } from "../exit-code.js";
import { Lines } from "../lines.js";

/** The latest version of the protocol whose handshake this is; a server answers with the one that it speaks. */
const PROTOCOL = "2025-11-25";
const MOST_MS = 30_000;
/** How long a server may take to end before it is made to. */
const GRACE_MS = 2000;
/** By JSON-RPC. */
const METHOD_NOT_FOUND = -32_601;
/** A server that gives out pages for ever. */
const MOST_PAGES = 1000;

/** One server, spoken to over its standard streams: a JSON-RPC message a line. */
class McpServer {
  private readonly waiting = new Map<number, (answer: JsonObject) => void>();
  private readonly ended: Promise<never>;
  private next = 1;

  constructor(
    private readonly process: ChildProcessWithoutNullStreams,
    name: string,
  ) {
    process.stdin.on("error", () => {});
    this.ended = new Promise((_, reject) => {
      const fail = (why: string) => reject(new UsageError(`the MCP server \`${name}\` ${why}`));
      process.on("error", (cause: NodeJS.ErrnoException) =>
        fail(`cannot be started: ${cause.code ?? "unknown error"}`),
      );
      process.on("exit", (code) => fail(`ended before it listed its tools (exit code ${code ?? "none"})`));
      this.listen(process.stdout, () => fail("writes a line of more than 64 MiB"));
      setTimeout(() => fail(`did not answer within ${MOST_MS / 1000} seconds`), MOST_MS).unref();
    });
    this.ended.catch(() => {});
  }

  async ask(method: string, params: Json): Promise<JsonObject> {
    const id = this.next++;
    const answer = new Promise<JsonObject>((resolve) => this.waiting.set(id, resolve));
    this.send({ jsonrpc: "2.0", id, method, params });
    const { result, error } = await Promise.race([answer, this.ended]);
    if (isJsonObject(result)) return result;
    const why = isJsonObject(error) && typeof error.message === "string" ? error.message : "without a result";
    throw new UsageError(`the MCP server refuses \`${method}\`: ${why}`);
  }

  send(message: JsonObject): void {
    this.process.stdin.write(`${JSON.stringify(message)}\n`);
  }

  private listen(stdout: Readable, fail: () => void): void {
    const lines = new Lines();
    stdout.setEncoding("utf8").on("data", (text: string) => {
      for (const line of lines.add(text)) if (line !== null) this.receive(line);
      if (!lines.isTooLong) return;
      // Such a line may have no end.
      stdout.destroy();
      fail();
    });
  }

  private receive(line: string): void {
    let message: Json;
    try {
      message = JSON.parse(line) as Json;
    } catch {
      // Servers print other lines too.
      return;
    }
    if (!isJsonObject(message)) return;
    const { id, method } = message;
    if (method !== undefined) this.answer(id, method);
    else if (typeof id === "number") {
      this.waiting.get(id)?.(message);
      this.waiting.delete(id);
    }
  }

  /** Servers ask too, and count their questions on their own: one may have the number of ours. */
  private answer(id: Json | undefined, method: Json): void {
    if (id === undefined || id === null) return;
    if (method === "ping") this.send({ jsonrpc: "2.0", id, result: {} });
    else this.send({ jsonrpc: "2.0", id, error: { code: METHOD_NOT_FOUND, message: "not offered by this client" } });
  }
}

async function toolsOf(server: McpServer, version: string): Promise<readonly Json[]> {
  const clientInfo = { name: "contract-guard", version };
  await server.ask("initialize", { protocolVersion: PROTOCOL, capabilities: {}, clientInfo });
  server.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  const tools: Json[] = [];
  let cursor: Json | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const result = await server.ask("tools/list", cursor === undefined ? {} : { cursor });
    if (!isJsonList(result.tools)) throw new UsageError("the MCP server lists no tools");
    tools.push(...result.tools);
    cursor = result.nextCursor ?? undefined;
    if (cursor === undefined || cursor === null) return tools;
  }
  throw new UsageError("the MCP server lists its tools without an end");
}

/** Ends a server, also one that goes on when it is asked to end. */
async function end(process: ChildProcessWithoutNullStreams): Promise<void> {
  process.stdin.end();
  process.kill();
  const isRunning = process.pid !== undefined && process.exitCode === null && process.signalCode === null;
  if (isRunning) {
    const timer = setTimeout(() => process.kill("SIGKILL"), GRACE_MS);
    await once(process, "exit");
    clearTimeout(timer);
  }
  // Processes that the server started may still hold these.
  process.stdout.destroy();
  process.stderr.destroy();
}

/** Starts an MCP server, asks for its tools and ends it. */
export async function askMcpServer(
  [command = "", ...args]: readonly string[],
  { cwd, env, version }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly version: string },
): Promise<readonly Json[]> {
  const process = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  process.stderr.resume();
  try {
    return await toolsOf(new McpServer(process, command), version);
  } finally {
    await end(process);
  }
}
