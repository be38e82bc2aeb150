import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import type { Workflow } from "../../src/workflow/public.js";
import { team } from "./team.js";

setFlagsFromString("--expose-gc");
const collectGarbage: () => Promise<void> = runInNewContext("() => gc({ execution: 'async' })");

async function attached(workflow: Workflow): Promise<WeakRef<object>> {
  return new WeakRef((await workflow.attach("lead")).guard);
}

it("a workflow keeps no guard that nobody uses", async () => {
  const workflow = await team();
  const lead = await workflow.start("lead", { sessionId: "lead" });
  const killed: unknown[] = [];
  (await workflow.attach("lead")).guard.on("killed", (event) => killed.push(event));
  const guards = await Promise.all(Array.from({ length: 5 }, () => attached(workflow)));
  await collectGarbage();
  expect(guards.filter((guard) => guard.deref() !== undefined)).toEqual([]);
  await lead.guard.kill("stop");
  expect(killed).toHaveLength(1);
});

async function listening(workflow: Workflow): Promise<WeakRef<object>> {
  const { guard } = await workflow.attach("lead");
  guard.on("killed", () => undefined);
  return new WeakRef<object>(guard);
}

it("a workflow keeps no guard that waits for the end of a session which has ended", async () => {
  const workflow = await team();
  const lead = await workflow.start("lead", { sessionId: "lead" });
  await lead.guard.kill("stop");
  const guards = await Promise.all(Array.from({ length: 5 }, () => listening(workflow)));
  await collectGarbage();
  expect(guards.filter((guard) => guard.deref() !== undefined)).toEqual([]);
});
