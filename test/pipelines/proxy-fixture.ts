import { createServer, type RequestListener } from "node:http";
import type { ProxyCall } from "../../src/guard/wrap/call-options.js";
import { createProxyCall } from "../../src/pipelines/proxy/proxy-call.js";
import { ProxyError } from "../../src/pipelines/proxy/proxy-error.js";
import type { ProxyCallSetting } from "../../src/pipelines/proxy/proxy-options.js";
import type { Script } from "./platform/behaviour.js";
import { listenOnLoopback } from "./platform/loopback.js";
import { type Platform, type PlatformOptions, startPlatform } from "./platform/platform.js";
import type { Run } from "./platform/run.js";

/** What a test sets besides the address and the token of its run. */
export type ClientOptions = Omit<ProxyCallSetting, "proxyUrl" | "runToken">;

export interface Client {
  readonly run: Run;
  readonly call: ProxyCall;
}

/** Platforms that are closed when the test is over. */
export class Platforms {
  private readonly open: { close(): Promise<void> }[] = [];

  async start(options: PlatformOptions = {}): Promise<Platform> {
    const platform = await startPlatform(options);
    this.open.push(platform);
    return platform;
  }

  /** A run with one tool `act`, and a client of it that waits only a moment between attempts. */
  async client(act: Script, options: ClientOptions = {}): Promise<Client> {
    const platform = await this.start();
    const run = platform.openRun({ tools: { act } });
    return { run, call: clientOf(run, options) };
  }

  /** The address of a server for answers that the platform never gives. */
  async serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    const port = await listenOnLoopback(server);
    this.open.push({
      close: () =>
        new Promise((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        }),
    });
    return `http://127.0.0.1:${port}`;
  }

  async close(): Promise<void> {
    for (const platform of this.open.splice(0)) await platform.close();
  }
}

export function clientOf({ proxyUrl, runToken }: Run, options: ClientOptions = {}): ProxyCall {
  return createProxyCall({ proxyUrl, runToken, retry: { maxWaitMs: 1 }, ...options });
}

/** The error that a call must end with. */
export async function errorOf(call: Promise<unknown>): Promise<ProxyError> {
  const error = await call.then(
    (response) => new Error(`no error, but ${JSON.stringify(response)}`),
    (cause: unknown) => cause,
  );
  if (error instanceof ProxyError) return error;
  throw error;
}

/** What an error says, without its words. */
export async function factsOf(call: Promise<unknown>): Promise<Readonly<Record<string, unknown>>> {
  const { name: _, ...facts } = { ...(await errorOf(call)) };
  return facts;
}

/** Waits until something is so, for a short while. */
export async function until(isSo: () => boolean): Promise<void> {
  for (let left = 400; !isSo(); left--) {
    if (left === 0) throw new Error("it did not come about");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
