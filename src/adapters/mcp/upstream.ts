import {
  type CallToolRequest,
  type CallToolResult,
  Client,
  type ProgressCallback,
  StreamableHTTPClientTransport,
  type Tool,
  type Transport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { ToolFailed, UpstreamFailed, upstreamFailure } from "./upstream-failure.js";

/** The MCP server whose tools are guarded: a command that speaks over its standard streams, or an address. */
export type UpstreamTarget =
  | {
      readonly command: string;
      readonly args?: readonly string[];
      readonly cwd?: string;
      /** All of its environment; without it that of this process. */
      readonly env?: Readonly<Record<string, string | undefined>>;
      /** Where its standard error goes: to that of this process by default. */
      readonly stderr?: "inherit" | "ignore";
    }
  | { readonly url: string | URL; readonly headers?: Readonly<Record<string, string>> };

/** Who the guard is for the server. */
export interface ClientName {
  readonly name: string;
  readonly version: string;
}

/** A call that is sent as it was judged. */
export interface UpstreamCall {
  readonly params: CallToolRequest["params"];
  readonly tool: Tool | undefined;
  readonly signal: AbortSignal;
  readonly onprogress: ProgressCallback | undefined;
  /** The time that the guard gives it; null if the limit is that of the SDK. */
  readonly limitMs: number | null;
}

/** A server that does not know the question which protocol it speaks may not answer it: then it is an older one. */
const PROBE_MS = 5000;
/** The guard gives up first; then the server is told that nobody waits any more. */
const LATER_MS = 50;
/** What a server says at once over its standard streams; the SDK ends the connection where it is more. */
const MOST_MIB = 10;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function definedOnly(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

function transportTo(target: UpstreamTarget): Transport {
  if ("url" in target) {
    const { url, headers = {} } = target;
    return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { ...headers } } });
  }
  const { command, args = [], cwd, env = process.env, stderr = "inherit" } = target;
  const folder = cwd === undefined ? {} : { cwd };
  return new StdioClientTransport({
    command,
    args: [...args],
    env: definedOnly(env),
    stderr,
    maxBufferSize: MOST_MIB * 2 ** 20,
    ...folder,
  });
}

/** The connection to the server whose tools are guarded. */
export class Upstream {
  private readonly closing = new Set<() => void>();
  private readonly changing = new Set<() => void>();
  private isGone = false;
  private isTooLong = false;

  private constructor(private readonly client: Client) {
    client.onclose = () => {
      this.isGone = true;
      for (const listener of this.closing) listener();
    };
    client.onerror = ({ message }) => {
      this.isTooLong ||= message.includes("exceeded maximum size");
    };
    client.setNotificationHandler("notifications/tools/list_changed", () => {
      for (const listener of this.changing) listener();
    });
  }

  /** Connects in the newest protocol that the server speaks. */
  static async connect(target: UpstreamTarget, name: ClientName): Promise<Upstream> {
    const client = new Client({ ...name }, { versionNegotiation: { mode: "auto", probe: { timeoutMs: PROBE_MS } } });
    const upstream = new Upstream(client);
    await client.connect(transportTo(target));
    return upstream;
  }

  get instructions(): string | undefined {
    return this.client.getInstructions();
  }

  /** Whether the connection has ended. One that is a process does not come back. */
  get hasEnded(): boolean {
    return this.isGone;
  }

  onClosed(listener: () => void): void {
    this.closing.add(listener);
  }

  /** The function that it returns removes the listener. */
  onToolsChanged(listener: () => void): () => void {
    this.changing.add(listener);
    return () => this.changing.delete(listener);
  }

  /** What it offers now; what it offered before is not trusted to be the same. */
  async tools(): Promise<readonly Tool[]> {
    const { tools } = await this.client.listTools(undefined, { cacheMode: "refresh" });
    return tools;
  }

  /** Sends a call. A result that is an error is thrown, and so is everything that leaves the outcome unknown. */
  async call({ params, tool, signal, onprogress, limitMs }: UpstreamCall): Promise<CallToolResult> {
    if (signal.aborted) throw new UpstreamFailed("the call was cancelled", { sent: false, code: "cancelled" });
    if (this.isGone) throw new UpstreamFailed("the MCP server has ended", { sent: false, code: "upstream_closed" });
    const result = await this.answer({ params, tool, signal, onprogress, limitMs });
    if (result.isError === true) throw new ToolFailed(result);
    return result;
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  private async answer({ params, tool, signal, onprogress, limitMs }: UpstreamCall): Promise<CallToolResult> {
    try {
      return await this.client.callTool(params, {
        signal,
        // Without an output schema: an answer that the SDK would reject has had its effect, and is judged by the contract.
        toolDefinition: { name: params.name, inputSchema: tool?.inputSchema ?? { type: "object" } },
        ...(onprogress === undefined ? {} : { onprogress }),
        ...(limitMs === null ? {} : { timeout: Math.min(limitMs + LATER_MS, LONGEST_TIMER_MS) }),
      });
    } catch (cause) {
      if (!this.isTooLong) throw upstreamFailure(cause);
      const message = `the connection to the MCP server was ended, because it sent a message of more than ${MOST_MIB} MiB`;
      throw new UpstreamFailed(message, { code: "message_too_long" }, { cause });
    }
  }
}
