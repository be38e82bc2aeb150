import { createServer } from "node:http";
import { setTimeout } from "node:timers/promises";

/**
 * A tool server in a process of its own: it pays, and counts what it paid. It outlives the workers that call it, so that it
 * knows what really happened. It prints its port; it ends with its standard input.
 */
const effects = [];
/** References that somebody was told are not paid: they never will be. */
const voided = new Set();
/** References of requests that are being worked on. */
const underWay = new Map();
/** The connections on which nothing was asked yet, or payments were. */
const paying = new Set();

async function bodyOf(request) {
  let text = "";
  for await (const part of request.setEncoding("utf8")) text += part;
  return JSON.parse(text);
}

/** What becomes of a payment is part of the request, so that a seed decides it. */
async function pay(request, response) {
  const { session, reference, amount, fate } = await bodyOf(request);
  underWay.set(reference, (underWay.get(reference) ?? 0) + 1);
  try {
    if (fate === "slow") await setTimeout(25);
    if (fate === "refuse" || voided.has(reference)) return response.writeHead(402).end("{}");
    if (fate === "cut_before") return request.socket.destroy();
    effects.push({ session, reference, amount });
    if (fate === "cut_after") return request.socket.destroy();
    if (fate === "slow") await setTimeout(25);
    response.writeHead(fate === "fail_after" ? 500 : 200).end(JSON.stringify({ paid: amount }));
  } finally {
    underWay.set(reference, underWay.get(reference) - 1);
  }
}

/** Whether a payment happened; "unknown" while that is open. Whatever did not happen is voided, so that the answer stays true. */
function did(reference) {
  if (effects.some((effect) => effect.reference === reference)) return "happened";
  if ((underWay.get(reference) ?? 0) > 0) return "unknown";
  voided.add(reference);
  return "did_not_happen";
}

/** Waits until nothing can be paid any more: every connection that pays has ended. */
async function quiet(own) {
  const isBusy = () =>
    [...paying].some((socket) => socket !== own) || [...underWay.values()].some((count) => count > 0);
  while (isBusy()) await setTimeout(2);
}

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://127.0.0.1");
  if (pathname === "/pay") return pay(request, response);
  paying.delete(request.socket);
  if (pathname === "/quiet") await quiet(request.socket);
  const answers = {
    "/did": () => did(searchParams.get("reference")),
    "/effects": () => effects.filter(({ session }) => session === searchParams.get("session")),
  };
  response.end(JSON.stringify(answers[pathname]?.() ?? null));
});
server.keepAliveTimeout = 600_000;
server.on("connection", (socket) => {
  paying.add(socket);
  socket.on("close", () => paying.delete(socket));
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
process.stdin.resume().on("end", () => process.exit(0));
