import { once } from "node:events";
import { expect } from "vitest";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { openWorkflow, type Workflow } from "../../src/workflow/public.js";
import { tool } from "../differential/scenario.js";
import { type Random, randomFrom } from "../support/random.js";
import { tryCompileWorkflow } from "../workflow-reference/compile-workflow.js";
import { artifactFile } from "./payments.js";
import { startWorker, type Worker } from "./worker.js";

/** One resource of each mode. */
const RESOURCES = [
  { alias: "file", mode: "single_writer" },
  { alias: "order", mode: "exclusive_pending" },
  { alias: "queue", mode: "serial_only" },
] as const;

const LIVES = 3;
const LANES = 6;

function artifactOf(most: number, processes: number) {
  const resources = Object.fromEntries(
    RESOURCES.map(({ alias }) => [alias, { type: alias, extract_from: { path: `$.${alias}` } }]),
  );
  const artifact = tryCompileWorkflow({
    workflow: {
      schema_version: "1.0",
      workflow: "chaos",
      roles: [{ name: "worker", session_contract: "packs/worker/session.yaml" }],
      workflow_limits: { max_sessions: most, max_active_sessions: processes * LANES - 4 },
      shared_resources: [...RESOURCES],
    },
    packs: new Map([
      [
        "worker",
        {
          tools: [tool("look", { side_effect: "read" }), tool("edit"), tool("pay", { side_effect: "financial" })],
          session: { schema_version: "1.0", agent: "chaos", resources },
          definitions: null,
        },
      ],
    ]),
  });
  if (typeof artifact === "string") throw new Error(artifact);
  return artifact;
}

/** The server that knows who is really at work. */
class ResourceServer {
  private constructor(readonly url: string) {}

  static async start(): Promise<ResourceServer> {
    const { child, lines } = startWorker("resource-server", {});
    if (lines.length === 0) await once(child, "line");
    return new ResourceServer(`http://127.0.0.1:${lines[0]}`);
  }

  async ask(path: string, body: object): Promise<unknown> {
    const response = await fetch(`${this.url}${path}`, { method: "POST", body: JSON.stringify(body) });
    return response.json();
  }
}

export interface WorkflowChaos {
  readonly url: string;
  readonly store: DurableStore;
  readonly seed: number;
  readonly processes: number;
  /** How many sessions each process wants; together more than the workflow allows. */
  readonly sessions: number;
}

/** What was seen, to show that the run did what it is for. */
export interface Seen {
  killed: number;
  readonly words: Set<string>;
  settled: number;
}

function someSessions(random: Random, name: string, count: number) {
  return Array.from({ length: count }, (_, at) => ({
    id: `${name}-${at}`,
    calls: Array.from({ length: 2 + random.below(3) }, () => {
      const { alias, mode } = random.pick(RESOURCES);
      return { tool: random.pick(["look", "edit", "edit", "pay"]), resource: alias, mode };
    }),
  }));
}

async function saidSoMuch({ child, lines, ended }: Worker, count: number): Promise<void> {
  while (lines.length < count && child.exitCode === null && child.signalCode === null) {
    await Promise.race([once(child, "line"), ended]);
  }
}

/** One run: workers that are killed and started again, somebody who settles what they left, and then the books are compared. */
export async function workflowChaos({ url, store, seed, processes, sessions }: WorkflowChaos): Promise<Seen> {
  const most = Math.floor(processes * sessions * 0.9);
  const artifact = artifactOf(most, processes);
  const server = await ResourceServer.start();
  const workflowId = `chaos-${seed}`;
  const workflow = await openWorkflow(artifact, { store, workflowId, storeTimeoutMs: 20_000 });
  const seen: Seen = { killed: 0, words: new Set(), settled: 0 };
  const file = artifactFile(artifact);

  const settle = async (prefix: string) => {
    const { sessions: all } = await workflow.state();
    for (const { id, status } of all) {
      if (!id.startsWith(prefix) || status === "closed") continue;
      seen.settled += await settleAndClose(workflow, server, id);
    }
  };

  const live = async (name: string, random: Random) => {
    let left = someSessions(random, name, sessions);
    for (let life = 1; life <= LIVES && left.length > 0; life += 1) {
      const prefix = `${name}-${life}`;
      const plan = left.map((session, at) => ({ ...session, id: `${prefix}-${at}` }));
      const work = { url, server: server.url, artifact: file, workflowId, most, lanes: LANES, pace: 3, sessions: plan };
      const worker = startWorker("workflow-worker", work);
      await worker.said("ready");
      // While it works: after so many lines, however fast the machine is.
      if (life < LIVES) {
        await saidSoMuch(worker, 4 + random.below(sessions * 2));
        worker.child.kill("SIGKILL");
      }
      const { signal, code, stderr } = await worker.ended;
      if (signal === "SIGKILL") seen.killed += 1;
      else expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      for (const line of worker.lines) seen.words.add(line.split(" ").at(-1) ?? "");
      left = left.slice(worker.lines.filter((line) => line.startsWith("closed ")).length);
      await settle(`${prefix}-`);
    }
  };

  const names = Array.from({ length: processes }, (_, at) => `p${at}`);
  await Promise.all(names.map((name, at) => live(name, randomFrom(seed, at))));

  const { totals, resources, sessions: all } = await workflow.state();
  expect(await server.ask("/found", {})).toMatchObject({ violations: [] });
  expect(resources).toEqual([]);
  expect(all.filter(({ status }) => status !== "closed")).toEqual([]);
  expect(totals).toMatchObject({ sessions: most, active: 0 });
  return seen;
}

/** What a worker that died was doing: it is known whether each of its calls began, and then nobody holds anything for it. */
async function settleAndClose(workflow: Workflow, server: ResourceServer, id: string): Promise<number> {
  const session = await workflow.attach(id);
  const open = session.guard.unsettled();
  for (const { callId } of open) {
    const kind = (await server.ask("/fence", { call: `${id}/${callId}` })) as "happened" | "did_not_happen";
    expect(await session.guard.settle(callId, { kind })).toEqual({ accepted: true });
  }
  await server.ask("/release", { session: id });
  await session.close();
  return open.length;
}
