import { connect, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** What becomes of some bytes: they are passed on, lost in silence, or lost together with the connection. */
export type Fate = "pass" | "lose" | "cut";

interface Rules {
  fromClient: (bytes: Buffer) => Fate;
  fromServer: (bytes: Buffer) => Fate;
}

/** Sits between a client and a server on this machine, and changes their traffic as a test wants. */
export class TcpProxy {
  readonly rules: Rules = { fromClient: () => "pass", fromServer: () => "pass" };
  private readonly pairs = new Set<readonly [Socket, Socket]>();

  private constructor(
    private readonly server: Server,
    private target: number,
  ) {
    server.on("connection", (client) => this.join(client));
    onTestFinished(() => {
      this.cutAll();
      server.close();
    });
  }

  static async start(target: number): Promise<TcpProxy> {
    const server = createServer({ allowHalfOpen: true });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new TcpProxy(server, target);
  }

  /** The same address, by way of the proxy. */
  through(url: string): string {
    const address = this.server.address();
    if (address === null || typeof address === "string") throw new Error("the proxy does not listen");
    const changed = new URL(url);
    changed.hostname = "127.0.0.1";
    changed.port = String(address.port);
    return changed.href;
  }

  pass(): void {
    this.rules.fromClient = () => "pass";
    this.rules.fromServer = () => "pass";
  }

  /** New connections go to another server. */
  retarget(port: number): void {
    this.target = port;
  }

  /** Ends one direction of every connection: nothing more comes from that side, but it can still be written to. */
  endAll(from: "client" | "server"): void {
    for (const [client, server] of this.pairs) (from === "client" ? server : client).end();
  }

  cutAll(): void {
    for (const pair of this.pairs) for (const socket of pair) socket.destroy();
  }

  private join(client: Socket): void {
    const server = connect({ port: this.target, host: "127.0.0.1", allowHalfOpen: true });
    const pair = [client, server] as const;
    this.pairs.add(pair);
    const cut = () => {
      this.pairs.delete(pair);
      for (const socket of pair) socket.destroy();
    };
    const carry = (from: Socket, to: Socket, fateOf: (bytes: Buffer) => Fate) => {
      from.on("data", (bytes) => {
        const fate = fateOf(bytes);
        if (fate === "cut") cut();
        else if (fate === "pass" && to.writable) to.write(bytes);
      });
      from.on("end", () => to.end());
    };
    carry(client, server, (bytes) => this.rules.fromClient(bytes));
    carry(server, client, (bytes) => this.rules.fromServer(bytes));
    for (const socket of pair) socket.on("error", cut).on("close", cut);
  }
}
