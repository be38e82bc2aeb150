import { describe, expect, it } from "vitest";
import { openWorkflow } from "../../src/workflow/public.js";
import { closing } from "../support/operated-stores.js";
import { newSchema, POSTGRES, POSTGRES_MISSING } from "../support/postgres-database.js";
import { TcpProxy } from "../support/tcp-proxy.js";
import { teamArtifact, WORKFLOW } from "./team.js";

/** A bound statement on the wire: the empty name of its portal, its own name, and the number of formats, which is below 256. */
const BOUND = /\0contract_guard_(\w+)\0\0/g;

/** A store whose statements are seen on their way to the server; announcements are left out, because nobody waits for them. */
async function watched() {
  const url = await newSchema();
  const proxy = await TcpProxy.start(Number(new URL(url).port));
  let sent = "";
  proxy.rules.fromClient = (bytes) => {
    sent += bytes.toString("latin1");
    return "pass";
  };
  const store = await closing(proxy.through(url));
  const during = async <T>(work: () => Promise<T>) => {
    sent = "";
    const result = await work();
    const names = [...sent.matchAll(BOUND)].map(([, name = ""]) => name);
    return { result, statements: names.filter((name) => name !== "notify") };
  };
  return { store, during };
}

describe.skipIf(POSTGRES === null)(`a session of a workflow on postgres${POSTGRES_MISSING}`, () => {
  it.each(["single_writer", "exclusive_pending", "serial_only"])(
    "sends one statement for a call and one for its result: %s",
    async (shared) => {
      const { store, during } = await watched();
      const artifact = teamArtifact({ shared, limits: "{ max_sessions: 5, max_total_steps: 40, max_total_cost: 3 }" });
      const workflow = await openWorkflow(artifact, { store, workflowId: WORKFLOW, env: {} });
      const lead = await workflow.start("lead");
      const worker = await lead.handoff("worker");
      for (const file of ["a", "b"]) {
        const { result: verdict, statements } = await during(() =>
          worker.guard.propose({ tool: "edit", args: { file } }),
        );
        // Two streams, a record for each: the log of the session and that of the workflow.
        expect([verdict.kind, statements]).toEqual(["allow", ["append_2_2_0"]]);
        const callId = verdict.kind === "allow" ? verdict.callId : "";
        const settled = await during(() => worker.guard.settle(callId, { kind: "result", output: {} }));
        expect(settled.statements).toEqual(["append_2_2_0"]);
      }
      expect((await during(() => workflow.state())).statements).toEqual(["load"]);
    },
  );

  it("sends one statement more for a refused call, which is judged on what is there now", async () => {
    const { store, during } = await watched();
    const artifact = teamArtifact({ shared: "single_writer" });
    const workflow = await openWorkflow(artifact, { store, workflowId: WORKFLOW, env: {} });
    const lead = await workflow.start("lead");
    const worker = await lead.handoff("worker");
    await lead.guard.propose({ tool: "edit", args: { file: "a" } });
    for (const [tool, reason] of [
      ["edit", "resource_conflict"],
      ["ghost", "unmatched_tool"],
    ] as const) {
      const { result: verdict, statements } = await during(() => worker.guard.propose({ tool, args: { file: "a" } }));
      expect(verdict).toMatchObject({ kind: "block", reason });
      expect(statements).toEqual(["load", "append_1_1_0"]);
    }
  });
});
