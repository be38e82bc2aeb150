import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createGuard } from "../../src/guard/guard.js";
import { createProxyCall } from "../../src/pipelines/proxy/proxy-call.js";
import { artifactOf } from "../support/guard-artifact.js";
import { type Ending, FAULTS, type Fault } from "./faults.js";
import { platformOf } from "./platform/platform-of.js";
import { refusedUrl } from "./platform/raw-socket.js";

/** Of calls that get no answer. All others get theirs, however slow the machine is. */
const SHORT_MS = 1000;
const LONG_MS = 60_000;

const artifactWith = (totalMs: number) =>
  artifactOf(`
#== pay.yaml (with the required fields)
side_effect: financial
timeouts: { total_ms: ${totalMs} }
retries: { max_attempts: 3, retry_on: ["429"] }
rate_limits: { on_429: { respect_retry_after: true, max_sleep_seconds: 0.02 } }
#== look.yaml (with the required fields)
side_effect: read
timeouts: { total_ms: ${totalMs} }
retries: { max_attempts: 3, retry_on: ["429"] }
rate_limits: { on_429: { respect_retry_after: true, max_sleep_seconds: 0.02 } }
#== session.yaml (with the required fields)
aggregates: [{ name: paid, metric: sum, tool: pay, path: $.amount, lte: 10, reason: Ten at most }]
`);

function shown(error: unknown): string {
  const { name, status, code, source }: Record<string, unknown> = { ...Object(error), name: Object(error).name };
  if (name !== "ProxyError") return "timeout";
  return ["ProxyError", status, code ?? source].filter((part) => part !== undefined).join(" ");
}

/** Makes one call under a fault: what the caller gets, and what becomes of the reservation. */
async function suffer(
  { proxy, isTooLarge, caller: expected }: Fault,
  tool: string,
): Promise<{ caller: string; ending: Ending | null; paid: unknown }> {
  const platform = await platformOf();
  const run = platform.openRun({ tools: proxy === null ? {} : { [tool]: proxy } });
  const proxyUrl = proxy === null ? await refusedUrl() : run.proxyUrl;
  const isOutOfTime = expected === "timeout" || expected.endsWith("ETIMEDOUT");
  const guard = await createGuard(artifactWith(isOutOfTime ? SHORT_MS : LONG_MS), { env: {} });
  const endings: Ending[] = [];
  guard.on("settled", ({ ending }) => {
    if (ending !== undefined && ending !== "violated") endings.push(ending);
  });
  const call = guard.wrap(createProxyCall({ proxyUrl, runToken: run.runToken }));
  const args = { amount: 7, ...(isTooLarge === true ? { text: "x".repeat(2 ** 20) } : {}) };
  const caller = await call(tool, args).then(() => "response", shown);
  expect(endings).toHaveLength(1);
  return { caller, ending: endings[0] ?? null, paid: guard.state().aggregates.paid };
}

describe("a call that fails", () => {
  it.each(FAULTS)("keeps or releases its reservation: $what", async (fault) => {
    const [money, read] = await Promise.all([suffer(fault, "pay"), suffer(fault, "look")]);
    expect(money).toEqual({ caller: fault.caller, ending: fault.money, paid: fault.money === "released" ? 0 : 7 });
    expect(read).toMatchObject({ caller: fault.caller, ending: fault.read });
  });

  it("a timeout after sending keeps what the call would have moved; a refused connection does not", async () => {
    const timeout = FAULTS.find(({ what }) => what === "no answer in time");
    const refused = FAULTS.find(({ what }) => what === "nothing listens");
    expect([timeout?.money, refused?.money]).toEqual(["indeterminate", "released"]);
  });
});

describe("docs/pipelines.md", () => {
  it("has the table of faults as it is tested here", () => {
    const file = new URL("../../docs/pipelines.md", import.meta.url);
    const text = readFileSync(file, "utf8");
    const rows = FAULTS.map(
      ({ what, caller, money, read }) =>
        `| ${what} | ${caller === "response" || caller === "timeout" ? caller : `\`${caller}\``} | ${money} | ${read} |`,
    );
    const table = ["| fault | the caller gets | moves money | reads |", "|---|---|---|---|", ...rows].join("\n");
    const [, before, after] = /^([\s\S]*<!-- faults -->\n)[\s\S]*?(<!-- \/faults -->[\s\S]*)$/.exec(text) ?? [];
    if (before === undefined || after === undefined) throw new Error("the document has no place for the table");
    const expected = `${before}${table}\n${after}`;
    if (process.env.UPDATE === "1") writeFileSync(file, expected);
    expect(readFileSync(file, "utf8")).toBe(expected);
  });
});
