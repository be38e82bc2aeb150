import { once } from "node:events";
import type { Books } from "./conservation.js";
import { startWorker } from "./worker.js";

/** A payment that really happened. */
export interface Effect {
  readonly reference: string;
  readonly amount: number;
}

/** The tool server that pays: a process of its own, which no test kills. */
export class ToolServer implements Books {
  private constructor(readonly url: string) {}

  static async start(): Promise<ToolServer> {
    const { child, lines } = startWorker("tool-server", {});
    if (lines.length === 0) await once(child, "line");
    return new ToolServer(`http://127.0.0.1:${lines[0]}`);
  }

  async quiet(): Promise<void> {
    await this.ask("/quiet");
  }

  async effects(session: string): Promise<readonly Effect[]> {
    return JSON.parse(await this.ask(`/effects?session=${encodeURIComponent(session)}`));
  }

  async did(reference: string): Promise<"happened" | "did_not_happen" | "unknown"> {
    return JSON.parse(await this.ask(`/did?reference=${encodeURIComponent(reference)}`));
  }

  private async ask(path: string): Promise<string> {
    return (await fetch(`${this.url}${path}`)).text();
  }
}
