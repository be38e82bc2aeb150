import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createGuard } from "../../../dist/guard/guard.js";
import { createProxyCall } from "../../../dist/pipelines/public.js";
import { median } from "../measure.mjs";
import { readArtifact } from "../scenario/guard.mjs";
import { allowedCalls, PRINCIPAL } from "../scenario/traffic.mjs";

const RUN_TOKEN = "bench";
const HEADERS = { "content-type": "application/json", authorization: `Bearer ${RUN_TOKEN}` };
/** Calls per turn; the two take turns, so that a slow moment of the machine hits both. */
const CALLS = 64;
const WARM_UPS = 20;
const TURNS = 121;

/** What somebody without the kit would write. */
function bareCall(proxyUrl) {
  return async (tool, args) => {
    const response = await fetch(`${proxyUrl}/tools/${tool}`, {
      method: "POST",
      headers: HEADERS,
      body: JSON.stringify(args),
    });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return (await response.json()).response;
  };
}

async function guardedCall(artifact, proxyUrl) {
  const guard = await createGuard(artifact, { principal: PRINCIPAL });
  const call = guard.wrap(createProxyCall({ proxyUrl, runToken: RUN_TOKEN, throttle: false }));
  await call("approve_risk_check", {});
  return call;
}

/** Milliseconds for one turn of calls, so many of them under way at once. */
async function turn(call, calls, concurrency) {
  let next = 0;
  const worker = async () => {
    while (next < calls.length) {
      const { tool, args } = calls[next++];
      const response = await call(tool, args);
      if (response?.accepted !== true) throw new Error("not the answer of the proxy");
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: concurrency }, worker));
  return performance.now() - start;
}

async function compare(contestants, concurrency) {
  const calls = allowedCalls().slice(0, CALLS);
  const times = contestants.map(() => []);
  for (let round = -WARM_UPS; round < TURNS; round++) {
    for (const [at, call] of contestants.entries()) {
      const time = await turn(call, calls, concurrency);
      if (round >= 0) times[at].push((time * 1000) / CALLS);
    }
  }
  return times.map(median);
}

/** Microseconds per call to a proxy in a process of its own: a bare fetch, and the kit with a guard. */
export async function measure({ artifact: text }) {
  const proxy = fork(fileURLToPath(new URL("../scenario/proxy.mjs", import.meta.url)), { stdio: "inherit" });
  try {
    const [{ port }] = await once(proxy, "message");
    const proxyUrl = `http://127.0.0.1:${port}`;
    const artifact = readArtifact(text);
    const contestants = [bareCall(proxyUrl), await guardedCall(artifact, proxyUrl)];
    const [[bare1, kit1], [bare16, kit16]] = [await compare(contestants, 1), await compare(contestants, 16)];
    return { one: { bare: bare1, kit: kit1 }, sixteen: { bare: bare16, kit: kit16 } };
  } finally {
    proxy.kill();
  }
}
