import { describe, expect, it } from "vitest";
import type { Guard } from "../../src/guard/guard-api.js";
import type { WorkflowSession } from "../../src/workflow/public.js";
import { propose, run, team } from "./team.js";

/** What the first session has done with the file before the second one proposes a call. */
const SITUATIONS = {
  "a running read": (one) => propose(one, "look", { file: "x" }),
  "a running edit": (one) => propose(one, "edit", { file: "x" }),
  "an edit of unknown outcome": (one) => ended(one, "edit", { kind: "timeout" }),
  "a read of unknown outcome": (one) => ended(one, "look", { kind: "timeout" }),
  "a read that has ended": (one) => run(one, "look", { file: "x" }),
  "an edit that was made": (one) => run(one, "edit", { file: "x" }),
  "an edit that was not made": (one) => ended(one, "edit", { kind: "error", sent: false }),
  "an edit that may be anywhere until it is settled": (one) => propose(one, "tell", { file: "x" }),
  "an edit that waits for an approval": (one) => propose(one, "ask", { file: "x" }),
  "an edit that was made, and its end": async (one) => {
    await run(one, "edit", { file: "x" });
    await one.close();
  },
  "a running edit, and its end": async (one) => {
    await propose(one, "edit", { file: "x" });
    await one.close();
  },
  "an edit that was made, a running read, and its end": async (one) => {
    await run(one, "edit", { file: "x" });
    await propose(one, "look", { file: "x" });
    await one.close();
  },
  "a running edit, and its kill": async (one) => {
    await propose(one, "edit", { file: "x" });
    await one.guard.kill("no more");
  },
  "an edit that was made after one that was not": async (one) => {
    await ended(one, "edit", { kind: "error", sent: false });
    await run(one, "edit", { file: "x" });
  },
} satisfies Record<string, (one: WorkflowSession) => Promise<unknown>>;

/** Whether another session may then read, and edit. */
type Cell = "free" | "reads" | "none";

const TABLE: Readonly<Record<keyof typeof SITUATIONS, Readonly<Record<string, Cell>>>> = {
  "a running read": { single_writer: "free", exclusive_pending: "none", serial_only: "free" },
  "a running edit": { single_writer: "reads", exclusive_pending: "none", serial_only: "reads" },
  "an edit of unknown outcome": { single_writer: "reads", exclusive_pending: "none", serial_only: "reads" },
  "a read of unknown outcome": { single_writer: "free", exclusive_pending: "free", serial_only: "free" },
  "a read that has ended": { single_writer: "free", exclusive_pending: "free", serial_only: "free" },
  "an edit that was made": { single_writer: "reads", exclusive_pending: "free", serial_only: "free" },
  "an edit that was not made": { single_writer: "free", exclusive_pending: "free", serial_only: "free" },
  "an edit that may be anywhere until it is settled": {
    ...{ single_writer: "reads", exclusive_pending: "none", serial_only: "reads" },
  },
  "an edit that waits for an approval": { single_writer: "free", exclusive_pending: "free", serial_only: "free" },
  "an edit that was made, and its end": { single_writer: "free", exclusive_pending: "free", serial_only: "free" },
  "a running edit, and its end": { single_writer: "reads", exclusive_pending: "none", serial_only: "reads" },
  "an edit that was made, a running read, and its end": {
    ...{ single_writer: "reads", exclusive_pending: "none", serial_only: "free" },
  },
  "a running edit, and its kill": { single_writer: "reads", exclusive_pending: "none", serial_only: "reads" },
  "an edit that was made after one that was not": {
    ...{ single_writer: "reads", exclusive_pending: "free", serial_only: "free" },
  },
};

const MODES = ["single_writer", "exclusive_pending", "serial_only"] as const;

async function ended({ guard }: WorkflowSession, tool: string, outcome: Parameters<Guard["settle"]>[1]): Promise<void> {
  const verdict = await guard.propose({ tool, args: { file: "x" } });
  if (verdict.kind === "allow") await guard.settle(verdict.callId, outcome);
}

async function sharing(mode: string) {
  const workflow = await team({ shared: mode });
  const [one, two] = await Promise.all([
    workflow.start("lead", { sessionId: "one", approver: "manual" }),
    workflow.start("lead", { sessionId: "two" }),
  ]);
  return { workflow, one, two };
}

describe.each(MODES)("a resource that is shared as %s", (mode) => {
  it.each(Object.entries(SITUATIONS))("after %s", async (name, happen) => {
    const { workflow, one, two } = await sharing(mode);
    await happen(one);
    const { resources } = await workflow.state();
    const cell = TABLE[name as keyof typeof SITUATIONS][mode];
    // What a list shows is what makes the edits of others conflict.
    expect(resources).toEqual(cell === "free" ? [] : [{ alias: "file", key: "x", mode, session: "one" }]);
    const conflict = { reason: "resource_conflict", found: "one" };
    const read = await two.guard.propose({ tool: "look", args: { file: "x" } });
    if (cell === "none") expect(read).toMatchObject(conflict);
    else expect(read.kind).toBe("allow");
    if (read.kind === "allow") await two.guard.settle(read.callId, { kind: "result", output: {} });
    const edit = await two.guard.propose({ tool: "edit", args: { file: "x" } });
    if (cell === "free") expect(edit.kind).toBe("allow");
    else expect(edit).toMatchObject(conflict);
    expect(await propose(two, "edit", { file: "y" })).toBe("allow");
  });

  it("does not keep a session from itself", async () => {
    const { one } = await sharing(mode);
    expect(await propose(one, "edit", { file: "x" })).toBe("allow");
    expect(await propose(one, "edit", { file: "x" })).toBe("allow");
    expect(await propose(one, "look", { file: "x" })).toBe("allow");
  });

  it("is freed by whoever settles the calls of a session that has ended", async () => {
    const { one, two } = await sharing(mode);
    const verdict = await one.guard.propose({ tool: "edit", args: { file: "x" } });
    await one.close();
    expect(await propose(two, "edit", { file: "x" })).toBe("resource_conflict");
    if (verdict.kind === "allow") await one.guard.settle(verdict.callId, { kind: "happened" });
    expect(await propose(two, "edit", { file: "x" })).toBe("allow");
  });

  it("only records in shadow mode", async () => {
    const { workflow, one } = await sharing(mode);
    await propose(one, "edit", { file: "x" });
    const shadow = await workflow.start("lead", { mode: "shadow" });
    const verdict = await shadow.guard.propose({ tool: "edit", args: { file: "x" } });
    expect(verdict).toMatchObject({ kind: "allow", would: { reason: "resource_conflict", found: "one" } });
  });
});

describe("the key of a shared resource", () => {
  it.each([[17, "17"] as const, [true, "true"] as const])("is compared as text: %j and %j", async (first, second) => {
    const { one, two } = await sharing("serial_only");
    await propose(one, "edit", { file: first });
    expect(await propose(two, "edit", { file: second })).toBe("resource_conflict");
  });

  it.each([[null], [[1]], [{ a: 1 }]])("cannot be read where it is %j", async (file) => {
    const { one } = await sharing("serial_only");
    const verdict = await one.guard.propose({ tool: "look", args: { file } });
    expect(verdict).toMatchObject({ reason: "resource_unreadable", rule: { file: "packs/lead/session.yaml" } });
    expect(one.guard.explain({ tool: "look", args: { file } })).toMatchObject([{ reason: "resource_unreadable" }]);
  });

  it("touches nothing where it is absent", async () => {
    const { one, two, workflow } = await sharing("exclusive_pending");
    expect(await propose(one, "edit", { other: 1 })).toBe("allow");
    expect(await propose(two, "edit", {})).toBe("allow");
    expect((await workflow.state()).resources).toEqual([]);
  });
});
