import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { decodeRecordBy } from "../../src/guard/durable/log-record.js";
import { workflowStream } from "../../src/guard/durable/streams.js";
import { decodeWorkflowEvent } from "../../src/workflow/log/decode-workflow-event.js";
import type { TouchingCall } from "../../src/workflow/state/workflow-event.js";
import { expectGolden } from "../support/golden.js";
import { closing, SHARED_KINDS } from "../support/operated-stores.js";
import { REPOSITORY, waitForCli } from "../support/run-cli.js";

const TIMELINE = fileURLToPath(new URL("demo.txt", import.meta.url));
const [WORKFLOW, FIRST, SECOND] = ["review-17", "review-17/worker-1", "review-17/worker-2"];

/** What `npm run demo:workflow` prints. */
async function timeline(...options: readonly string[]): Promise<string> {
  const script = "contracts/code-review/demo/run.mjs";
  const args = [script, "--workflow", WORKFLOW, ...options];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: REPOSITORY });
  expect(stderr).toBe("");
  return stdout;
}

/** The log of the workflow: who wrote what. */
async function logOf(url: string) {
  const store = await closing(url);
  const records = await store.read(workflowStream(WORKFLOW), 0, 1_000);
  return records.map(({ data }) => {
    const { guard, content } = decodeRecordBy(decodeWorkflowEvent, data);
    if ("sealed" in content || content.event === null) throw new Error("a record without an event");
    return { guard, event: content.event };
  });
}

type Log = Awaited<ReturnType<typeof logOf>>;

/** The sessions that are neither closed nor killed after each record, by the log alone. */
function activeCounts(log: Log): readonly number[] {
  const active = new Set<string>();
  return log.map(({ event }) => {
    if (event.kind === "started") active.add(event.session);
    if (event.kind === "closed" || event.kind === "killed") active.delete(event.session ?? "");
    return active.size;
  });
}

/** The places in the log where a session's mutating call on a file was reserved, and where it was settled. */
function edits(log: Log, session: string): readonly { readonly from: number; readonly to: number }[] {
  const at = (is: (event: Log[number]["event"]) => boolean) => log.findIndex(({ event }) => is(event));
  const progress = log.flatMap(({ event }) =>
    event.kind === "progressed" && event.session === session ? (event.reserved ?? []) : [],
  );
  const isEdit = ({ isMutating, resources }: TouchingCall) => isMutating && resources[0]?.alias === "file";
  return progress.filter(isEdit).map(({ callId }) => ({
    from: at((event) => event.kind === "progressed" && event.session === session && isNamed(event.reserved, callId)),
    to: at((event) => event.kind === "progressed" && event.session === session && isNamed(event.ended, callId)),
  }));
}

function isNamed(calls: readonly { readonly callId: string }[] = [], callId: string): boolean {
  return calls.some((call) => call.callId === callId);
}

describe("the review of contracts/code-review", () => {
  it("takes its course in one process", async () => {
    expectGolden(TIMELINE, await timeline());
  });

  it.each(SHARED_KINDS)(
    "is the same in three processes, one of which is killed and started again: %s",
    { timeout: 120_000 },
    async (_, newUrl) => {
      const url = await newUrl();
      expectGolden(TIMELINE, await timeline("--processes", "--store", url));
      const log = await logOf(url);
      // Three agents, and the one that came after the crash.
      expect(new Set(log.map(({ guard }) => guard)).size).toBe(4);
      expect(Math.max(...activeCounts(log))).toBe(4);
      // What the killed process held stayed held until its call was settled, by the one that came after it.
      const [crashed] = edits(log, FIRST);
      const [next] = edits(log, SECOND);
      const closed = log.findIndex(({ event }) => event.kind === "closed" && event.session === FIRST);
      expect(crashed?.from).toBeLessThan(closed);
      expect(closed).toBeLessThan(crashed?.to ?? 0);
      expect(crashed?.to).toBeLessThan(next?.from ?? 0);
      expect(log[crashed?.to ?? 0]?.guard).not.toBe(log[crashed?.from ?? 0]?.guard);
      const { code, stdout } = await waitForCli(["workflows", "show", url, WORKFLOW, "--format", "json"]);
      const { totals, openHandoffs, resources } = JSON.parse(stdout);
      expect({ code, totals, openHandoffs, resources }).toEqual({
        code: 0,
        totals: { sessions: 4, active: 0, steps: 8, cost: 0 },
        openHandoffs: 0,
        resources: [],
      });
      expect(await waitForCli(["audit", "verify", url])).toMatchObject({ code: 0 });
    },
  );

  it("asks for a store that other processes can open", async () => {
    await expect(timeline("--processes")).rejects.toMatchObject({ code: 1 });
  });
});
