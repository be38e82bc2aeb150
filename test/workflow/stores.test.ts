import { describe, expect, it } from "vitest";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { openWorkflow } from "../../src/workflow/public.js";
import { ALL_KINDS, closing } from "../support/operated-stores.js";
import { propose, refusalOf, run, teamArtifact, WORKFLOW } from "./team.js";

const ARTIFACT = teamArtifact({ shared: "single_writer", limits: "{ max_total_steps: 40 }" });

/** A store that lists what it is asked for. */
function counted(store: DurableStore): { readonly store: DurableStore; readonly requests: string[] } {
  const requests: string[] = [];
  const methods = new Set(["load", "append", "read", "list"]);
  const proxy = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        if (methods.has(String(name))) requests.push(String(name));
        return Reflect.apply(value, target, given);
      };
    },
  });
  return { store: proxy, requests };
}

describe.each(ALL_KINDS)("a workflow on %s", (kind, newUrl) => {
  /** Two processes, each with a connection of its own where others can open the store. */
  async function processes() {
    const url = await newUrl();
    const first = await closing(url);
    const second = kind === "memory" ? first : await closing(url);
    const { store, requests } = counted(first);
    const one = await openWorkflow(ARTIFACT, { store, workflowId: WORKFLOW, env: {} });
    const two = await openWorkflow(ARTIFACT, { store: second, workflowId: WORKFLOW, env: {} });
    return { one, two, requests };
  }

  it("is one, whoever opens it", async () => {
    const { one, two } = await processes();
    const lead = await one.start("lead", { sessionId: "lead" });
    await lead.handoff("worker", { sessionId: "worker", artifacts: { note: "ä\u2028" } });
    const worker = await two.attach("worker");
    expect(worker.artifacts).toEqual({ note: "ä\u2028" });
    expect(await run(worker, "edit", { file: "x" })).toBe("allow");
    expect(await run(lead, "edit", { file: "x" })).toBe("resource_conflict");
    expect(await one.state()).toEqual(await two.state());
    await lead.close();
    expect(await propose(worker, "look")).toBe("cancel_requested");
    await worker.close();
    await two.kill({ scope: "workflow", why: "done", operator: "ann" });
    expect((await refusalOf(one.start("lead"))).reason).toBe("workflow_killed");
  });

  it("takes one request for a call, and one for its result", async () => {
    const { one, requests } = await processes();
    const lead = await one.start("lead");
    const during = async (work: () => Promise<unknown>) => {
      requests.length = 0;
      await work();
      return [...requests];
    };
    let callId = "";
    const proposing = await during(async () => {
      const verdict = await lead.guard.propose({ tool: "edit", args: { file: "x" } });
      if (verdict.kind === "allow") callId = verdict.callId;
    });
    expect(proposing).toEqual(["append"]);
    expect(await during(() => lead.guard.settle(callId, { kind: "result", output: {} }))).toEqual(["append"]);
    expect(await during(() => lead.guard.beginStep())).toEqual(["append"]);
    expect(await during(() => run(lead, "look"))).toEqual(["append", "append"]);
    expect(await during(() => lead.guard.addLabel("x"))).toEqual(["append"]);
    // A refusal is judged on what is there, and adds nothing to the log of the workflow.
    expect(await during(() => lead.guard.propose({ tool: "ghost", args: {} }))).toEqual(["load", "append"]);
    expect(await during(() => one.start("lead"))).toEqual(["append"]);
    expect(await during(() => lead.close())).toEqual(["append"]);
  });

  it("gives the last step to one of many", async () => {
    const { one, two } = await processes();
    const sessions = await Promise.all([one, two].flatMap((each) => [1, 2, 3].map(() => each.start("lead"))));
    const verdicts = await Promise.all(
      sessions.flatMap((session) => Array.from({ length: 8 }, () => propose(session, "look"))),
    );
    const allowed = verdicts.filter((verdict) => verdict === "allow").length;
    expect(allowed).toBe(40);
    expect(verdicts.filter((verdict) => verdict === "workflow_limit_exceeded")).toHaveLength(verdicts.length - 40);
    expect((await one.state()).totals.steps).toBe(40);
  }, 60_000);

  it("is found again from a snapshot", async () => {
    const { one, two } = await processes();
    const lead = await one.start("lead", { sessionId: "lead" });
    for (let n = 0; n < 300; n += 1) await lead.guard.recordCost(0.01);
    await run(lead, "edit", { file: 17 });
    const late = await two.start("lead", { sessionId: "late" });
    expect(await run(late, "edit", { file: "17" })).toBe("resource_conflict");
    expect(await two.state()).toEqual(await one.state());
    expect((await two.state()).totals).toEqual({ sessions: 2, active: 2, steps: 1, cost: 3 });
  }, 60_000);
});
