import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { RESPONSE_CONTRACT } from "../../src/pipelines/response/response-config.js";
import { respond, slow } from "./platform/behaviour.js";
import type { DispatchResult } from "./platform/grade.js";
import type { Platform } from "./platform/platform.js";
import { platformOf } from "./platform/platform-of.js";
import type { Run } from "./platform/run.js";

const SERVE = fileURLToPath(new URL("example/serve.mjs", import.meta.url));
const TOKEN = "example-token";
const RUNS = 200;

async function answerOf(child: ChildProcess, question: object | null): Promise<Record<string, number>> {
  if (question !== null) child.send(question);
  const [message] = await once(child, "message");
  return message;
}

async function serve(): Promise<{ readonly url: string; readonly heap: () => Promise<number> }> {
  const child = fork(SERVE, { execArgv: ["--expose-gc"], env: { ...process.env, AGENT_TOKEN: TOKEN } });
  onTestFinished(() => {
    child.disconnect();
  });
  const { port } = await answerOf(child, null);
  return { url: `http://127.0.0.1:${port}/`, heap: async () => (await answerOf(child, { ask: "heap" })).heap ?? 0 };
}

const orderOf = (at: number) => String(40_000 + at);
const amountOf = (at: number) => 1 + (at % 300) + at / 1000;

/** A run with an order, a customer and an amount of its own, so that a call in the wrong place shows. */
function openRun(platform: Platform, at: number): Run {
  return platform.openRun({
    tools: {
      get_order: (args) => slow(at % 7, respond({ order_id: args.order_id, status: "shipped" })),
      verify_identity: respond({ verified: true }),
      check_eligibility: respond({ eligible: true, max_amount: amountOf(at), eligibility_id: `elig_${at}` }),
      issue_refund: (args) => slow(at % 5, respond({ refund_id: `re_${at}_${args.amount}`, status: "succeeded" })),
    },
  });
}

function dispatch(platform: Platform, run: Run, at: number, url: string): Promise<DispatchResult> {
  return platform.dispatch(run, url, {
    authHeader: { name: "Authorization", value: `Bearer ${TOKEN}` },
    userInstruction: `Refund order ${orderOf(at)}`,
    input: { order_id: orderOf(at), customer_id: `cust_${at}`, verification_code: "204815" },
    responseContract: RESPONSE_CONTRACT,
  });
}

const CALLS = ["get_order", "verify_identity", "check_eligibility", "issue_refund"];

function expectOwn(run: Run, at: number, result: DispatchResult): void {
  expect(result).toMatchObject({ status: 200, errorClass: null, judged: true, softWarnings: [] });
  expect(result.answer).toBe(`Refunded ${amountOf(at)} USD for order ${orderOf(at)} as re_${at}_${amountOf(at)}.`);
  // The refund above the assessed amount was refused, so it is in the transcript and not at the proxy.
  expect(run.calls.map(({ tool }) => tool)).toEqual(CALLS);
  expect(run.calls.every(({ headers }) => headers.authorization === `Bearer ${run.runToken}`)).toBe(true);
  const text = JSON.stringify(result.normalised);
  expect(text).toContain("requirement_failed");
  expect(text.match(/\b4\d{4}\b/g)?.every((order) => order === orderOf(at))).toBe(true);
  expect(result.normalised?.flatMap(({ tool_calls: calls }) => calls ?? [])).toHaveLength(CALLS.length + 1);
}

async function runMany(platform: Platform, url: string, first: number): Promise<void> {
  const numbers = Array.from({ length: RUNS }, (_, index) => first + index);
  const runs = numbers.map((at) => ({ at, run: openRun(platform, at) }));
  const results = await Promise.all(runs.map(({ at, run }) => dispatch(platform, run, at, url)));
  runs.forEach(({ at, run }, index) => {
    const result = results[index];
    if (result === undefined) throw new Error("a run without a result");
    expectOwn(run, at, result);
  });
}

describe("the example agent", () => {
  it("is built", () => {
    expect(existsSync(fileURLToPath(new URL("../../dist/bundle/pipelines.js", import.meta.url)))).toBe(true);
  });

  it(`serves ${RUNS} runs at once, each with its own token: no crosstalk, no lost call, and its memory comes back`, async () => {
    const platform = await platformOf();
    const { url, heap } = await serve();
    // The first rounds also fill what the process keeps anyway: compiled code, connections.
    for (let round = 0; round < 2; round++) await runMany(platform, url, round * RUNS);
    const before = await heap();
    for (let round = 2; round < 5; round++) await runMany(platform, url, round * RUNS);
    const grown = ((await heap()) - before) / (3 * RUNS);
    // The throttle remembers a token for a minute after its last call: less than a kilobyte. A guard alone holds six.
    expect(grown).toBeLessThan(4096);
    expect(platform.strays).toEqual([]);
  }, 900_000);
});
