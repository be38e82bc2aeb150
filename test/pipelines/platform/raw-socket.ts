import { connect, createServer } from "node:net";
import { listenOnLoopback } from "./loopback.js";

/** An address on this machine where nothing listens, so that a connection is refused. */
export async function refusedUrl(): Promise<string> {
  const server = createServer();
  const port = await listenOnLoopback(server);
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

/** Sends text unchanged over a socket and returns all that comes back until the other side closes. */
export function exchangeRaw(url: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => socket.write(text));
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.once("error", reject);
    socket.once("close", () => resolve(Buffer.concat(chunks).toString("utf8")));
  });
}
