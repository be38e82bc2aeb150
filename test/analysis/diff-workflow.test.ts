import { describe, expect, it, onTestFinished } from "vitest";
import { diffPacks } from "../../src/analysis/diff/diff-packs.js";
import { verdictOf } from "../../src/analysis/diff/static/difference-words.js";
import type { Artifact, CompiledWorkflow } from "../../src/artifact/compiled.js";
import { openStore } from "../../src/stores/open-store.js";
import { openWorkflow } from "../../src/workflow/public.js";
import { artifactOf } from "../support/guard-artifact.js";
import { told } from "../workflow/team.js";

const ROLES = ["planner", "worker", "reviewer", "auditor"] as const;

const PACK = `
#== workflow.yaml (with the required fields)
roles:
${ROLES.map((role) => `  - { name: ${role}, session_contract: packs/${role}/session.yaml }`).join("\n")}
handoffs:
  - { from: planner, to: worker, requires_artifacts: [task, files] }
  - { from: planner, to: reviewer, parent_close_policy: request_cancel }
  - { from: worker, to: reviewer }
workflow_limits:
  { max_sessions: 8, max_active_sessions: 4, max_total_steps: 100, max_total_cost: 25, max_open_handoffs: 6 }
shared_resources:
  - { alias: file, mode: serial_only }
  - { alias: ticket, mode: single_writer }
cancellation: { subtree_kill: true, workflow_kill: operator_only }
parent_close_policy: { default: request_cancel }
${ROLES.map(
  (role) => `#== packs/${role}/session.yaml (with the required fields)
agent: ${role}
resources:
  file: { type: file, extract_from: { path: $.file } }
  ticket: { type: ticket, extract_from: { path: $.ticket } }
#== packs/${role}/use_${role}.yaml (with the required fields)
side_effect: write
`,
).join("")}`;

const OLD = artifactOf(PACK);

type Change = (workflow: CompiledWorkflow) => Partial<CompiledWorkflow>;
type Row = readonly [what: string, change: Change, forward: readonly string[], back: readonly string[]];

function withWorkflow(change: Change): Artifact {
  const { workflow } = OLD;
  if (workflow === null) throw new Error("the pack has a workflow");
  return { ...OLD, workflow: { ...workflow, ...change(workflow) } };
}

async function directions(before: Artifact, after: Artifact): Promise<readonly string[]> {
  const found = await diffPacks(before, after, { bounds: null, wording: () => "" });
  return found.flatMap(({ changes }) => changes.map(({ name, direction }) => `${name}: ${direction}`));
}

/** A workflow of one role, whose pack has the name. */
function calling(name: string, rest: string): Artifact {
  return artifactOf(`
#== workflow.yaml (with the required fields)
roles: [{ name: caller, session_contract: packs/${name}/session.yaml }]
#== packs/${name}/session.yaml (with the required fields)
agent: ${name}
${rest}`);
}

/** What two calls without a contract come to where such calls are allowed. */
async function unmatched(artifact: Artifact): Promise<readonly string[]> {
  const store = await openStore("memory:");
  onTestFinished(() => store.close());
  const workflow = await openWorkflow(artifact, { store, env: {} });
  const { guard } = await workflow.start("caller", { unmatched: "allow" });
  const call = async () => told(await guard.propose({ tool: "turn_off", args: {} }));
  return [await call(), await call()];
}

const handoff = (at: number, change: Partial<CompiledWorkflow["handoffs"][number]>): Change => {
  return ({ handoffs }) => ({ handoffs: handoffs.map((one, index) => (index === at ? { ...one, ...change } : one)) });
};
const limit = (change: Partial<CompiledWorkflow["limits"]>): Change => {
  return ({ limits }) => ({ limits: { ...limits, ...change } });
};
const shared = (at: number, mode: CompiledWorkflow["shared_resources"][number]["mode"]): Change => {
  return ({ shared_resources: all }) => ({
    shared_resources: all.map((one, index) => (index === at ? { ...one, mode } : one)),
  });
};
const is = (setting: string, direction: string) => [`workflow: ${setting}: ${direction}`];
const [WEAKER, STRONGER, UNKNOWN] = ["weaker", "stronger", "unknown"] as const;

const both = (setting: string, forward: string, back: string) => [is(setting, forward), is(setting, back)] as const;

const WORKER = "handoff planner → worker";
const REVIEWER = "handoff planner → reviewer";
const LAST = "handoff worker → reviewer";

const ROWS: readonly Row[] = [
  ["nothing", () => ({}), [], []],
  ["another name", () => ({ name: "other" }), [], []],
  ["more sessions", limit({ max_sessions: 9 }), ...both("max sessions", WEAKER, STRONGER)],
  ["no limit of sessions", limit({ max_sessions: null }), ...both("max sessions", WEAKER, STRONGER)],
  ["more active sessions", limit({ max_active_sessions: 5 }), ...both("max active sessions", WEAKER, STRONGER)],
  ["fewer steps", limit({ max_total_steps: 99 }), ...both("max total steps", STRONGER, WEAKER)],
  ["more cost", limit({ max_total_cost: 25.01 }), ...both("max total cost", WEAKER, STRONGER)],
  ["fewer open handoffs", limit({ max_open_handoffs: 0 }), ...both("max open handoffs", STRONGER, WEAKER)],
  [
    "a higher and a lower limit",
    limit({ max_sessions: 9, max_total_steps: 50 }),
    [...is("max sessions", WEAKER), ...is("max total steps", STRONGER)],
    [...is("max sessions", STRONGER), ...is("max total steps", WEAKER)],
  ],
  ["an artifact less", handoff(0, { requires_artifacts: ["task"] }), ...both(WORKER, WEAKER, STRONGER)],
  ["an artifact more", handoff(1, { requires_artifacts: ["diff"] }), ...both(REVIEWER, STRONGER, WEAKER)],
  ["other artifacts", handoff(0, { requires_artifacts: ["task", "diff"] }), ...both(WORKER, UNKNOWN, UNKNOWN)],
  ["artifacts in another order", handoff(0, { requires_artifacts: ["files", "task"] }), [], []],
  // A child that was not abandoned is killed with its subtree, and gives up what it owns.
  ["children that go on", handoff(1, { parent_close_policy: "abandon" }), ...both(REVIEWER, UNKNOWN, UNKNOWN)],
  // They do less, but give up what they own and their places, so that others may do more.
  ["children that are killed", handoff(1, { parent_close_policy: "terminate" }), ...both(REVIEWER, UNKNOWN, UNKNOWN)],
  ["the default policy in so many words", handoff(0, { parent_close_policy: "request_cancel" }), [], []],
  [
    "another default policy, for the handoffs without their own",
    () => ({ parent_close_policy: "terminate" }),
    [...is(WORKER, UNKNOWN), ...is(LAST, UNKNOWN), ...is("parent close policy", UNKNOWN)],
    [...is(WORKER, UNKNOWN), ...is(LAST, UNKNOWN), ...is("parent close policy", UNKNOWN)],
  ],
  [
    "a handoff less, to a role that has another",
    ({ handoffs }) => ({ handoffs: handoffs.slice(0, 2) }),
    ...both(LAST, STRONGER, WEAKER),
  ],
  [
    // The role starts on its own then, which it did not before; and it is no longer handed any work.
    "the last handoff to a role less",
    ({ handoffs }) => ({ handoffs: handoffs.slice(1) }),
    ...both(WORKER, UNKNOWN, UNKNOWN),
  ],
  [
    "a role less",
    ({ roles }) => ({ roles: roles.slice(0, 3) }),
    is("role auditor", STRONGER),
    is("role auditor", WEAKER),
  ],
  [
    "a role less, with the handoffs to it",
    ({ roles, handoffs }) => ({
      roles: roles.filter(({ name }) => name !== "reviewer"),
      handoffs: handoffs.slice(0, 1),
    }),
    [...is("role reviewer", STRONGER), ...is(REVIEWER, STRONGER), ...is(LAST, STRONGER)],
    [...is("role reviewer", WEAKER), ...is(REVIEWER, WEAKER), ...is(LAST, WEAKER)],
  ],
  [
    "a role with another pack",
    ({ roles }) => ({ roles: roles.map((role) => (role.name === "auditor" ? { ...role, pack: 1 } : role)) }),
    ...both("role auditor", UNKNOWN, UNKNOWN),
  ],
  [
    "serial_only to exclusive_pending",
    shared(0, "exclusive_pending"),
    ...both("shared resource file", STRONGER, WEAKER),
  ],
  ["serial_only to single_writer", shared(0, "single_writer"), ...both("shared resource file", STRONGER, WEAKER)],
  [
    "single_writer to exclusive_pending",
    shared(1, "exclusive_pending"),
    ...both("shared resource ticket", UNKNOWN, UNKNOWN),
  ],
  [
    "a resource no longer shared",
    ({ shared_resources: all }) => ({ shared_resources: all.slice(0, 1) }),
    ...both("shared resource ticket", WEAKER, STRONGER),
  ],
  ["kills of subtrees", () => ({ subtree_kill: false }), ...both("subtree kill", UNKNOWN, UNKNOWN)],
  ["kills of the workflow by anybody", () => ({ workflow_kill: null }), ...both("workflow kill", WEAKER, STRONGER)],
];

describe("what changed in a workflow", () => {
  it.each(ROWS)("%s", async (_, change, forward, back) => {
    const changed = withWorkflow(change);
    expect(await directions(OLD, changed)).toEqual(forward);
    expect([...(await directions(changed, OLD))].sort()).toEqual([...back].sort());
  });

  it.each([
    ["makes no room for others", { active: null, open: null, mode: "serial_only" }, STRONGER, WEAKER],
    ["gives up what it owns", { active: null, open: null, mode: "single_writer" }, UNKNOWN, UNKNOWN],
    ["gives up its place", { active: 4, open: null, mode: "serial_only" }, UNKNOWN, UNKNOWN],
    ["gives up its handoff", { active: null, open: 4, mode: "serial_only" }, UNKNOWN, UNKNOWN],
  ] as const)("a child that is killed %s", async (_, { active, open, mode }, forward, back) => {
    const held: Change = (workflow) => ({
      ...limit({ max_active_sessions: active, max_open_handoffs: open })(workflow),
      ...shared(1, mode)(workflow),
    });
    const killed = handoff(1, { parent_close_policy: "terminate" });
    const before = withWorkflow(held);
    const after = withWorkflow((workflow) => ({ ...held(workflow), ...killed(workflow) }));
    expect(await directions(before, after)).toEqual(is(REVIEWER, forward));
    expect(await directions(after, before)).toEqual(is(REVIEWER, back));
  });

  it.each([
    ["no kill reaches", { subtree_kill: false }, "single_writer", STRONGER, WEAKER],
    ["a kill of its subtree reaches", { subtree_kill: true }, "single_writer", UNKNOWN, UNKNOWN],
    ["a kill reaches that makes no room for others", { subtree_kill: true }, "serial_only", STRONGER, WEAKER],
    [
      "the end of those above kills",
      { subtree_kill: false, parent_close_policy: "terminate" },
      "single_writer",
      UNKNOWN,
      UNKNOWN,
    ],
  ] as const)("a child that is no longer abandoned, and that %s", async (_, ends, mode, forward, back) => {
    const held: Change = (workflow) => ({
      ...limit({ max_active_sessions: null, max_open_handoffs: null })(workflow),
      ...shared(1, mode)(workflow),
      ...ends,
    });
    const left = withWorkflow((workflow) => ({
      ...held(workflow),
      ...handoff(2, { parent_close_policy: "abandon" })(workflow),
    }));
    const asked = withWorkflow((workflow) => ({
      ...held(workflow),
      ...handoff(2, { parent_close_policy: "request_cancel" })(workflow),
    }));
    expect(await directions(left, asked)).toEqual(is(LAST, forward));
    expect(await directions(asked, left)).toEqual(is(LAST, back));
  });

  it("a default policy that no handoff takes does not matter", async () => {
    const own: Change = ({ handoffs }) => ({
      handoffs: handoffs.map((one) => ({
        ...one,
        parent_close_policy: "request_cancel" as const,
      })),
    });
    const before = withWorkflow(own);
    const after = withWorkflow((workflow) => ({
      ...own(workflow),
      parent_close_policy: "abandon",
    }));
    expect(await directions(before, after)).toEqual([]);
    expect(await directions(after, before)).toEqual([]);
  });

  it.each([
    ["is not shared", 1, "resources: same"],
    ["is shared", 2, "resources: weaker"],
  ])("a resource that a role no longer declares, and that %s", async (_, count, change) => {
    const before = withWorkflow(({ shared_resources: all }) => ({
      shared_resources: all.slice(0, count),
    }));
    const fewer = {
      ...before,
      packs: before.packs.map((one) => ({
        ...one,
        resources: one.resources.slice(0, 1),
      })),
    };
    expect(new Set(await directions(before, fewer))).toEqual(new Set([change]));
  });

  it.each([
    ["no tools", ""],
    [
      "tools that nobody may call",
      "#== packs/late/turn.yaml (with the required fields)\nside_effect: write\ngate: block\n",
    ],
  ])("a role with a pack that is new, and that has %s, may call more without a contract", async (_, tools) => {
    const before = calling("early", "session_limits: { max_tool_calls: 1 }");
    const after = calling("late", tools);
    expect(await unmatched(before)).toEqual(["allow", "session_limit_exceeded"]);
    expect(await unmatched(after)).toEqual(["allow", "allow"]);
    expect(await directions(before, after)).toContain("workflow: role caller: unknown");
    expect(await directions(after, before)).toContain("workflow: role caller: unknown");
  });

  it("is told with both forms and the place", async () => {
    const [found] = await diffPacks(OLD, withWorkflow(handoff(0, { requires_artifacts: ["task"] })), {
      bounds: null,
      wording: () => "",
    });
    expect(found?.changes).toMatchObject([
      {
        before: '{"parent_close_policy":"request_cancel","requires_artifacts":["task","files"]}',
        after: '{"parent_close_policy":"request_cancel","requires_artifacts":["task"]}',
        at: { file: "workflow.yaml" },
      },
    ]);
    const [gone] = await diffPacks(
      OLD,
      withWorkflow(({ shared_resources: all }) => ({ shared_resources: all.slice(0, 1) })),
      { bounds: null, wording: () => "" },
    );
    expect(gone?.changes).toMatchObject([{ before: "single_writer", after: "none", at: { file: "workflow.yaml" } }]);
  });

  it("does not call it tightened where a pack is gone, and with it the workflow or a limit", async () => {
    const setting = { bounds: null, wording: () => "" };
    const fewer = { ...OLD, packs: OLD.packs.slice(0, -1) };
    const headOf = async (next: Artifact) => verdictOf(await diffPacks(OLD, next, setting));
    expect(await headOf(fewer)).toBe("Tightened: 1 pack is gone");
    expect(await headOf({ ...fewer, workflow: null })).toMatch(
      /^Changed: 1 pack is gone, and not everything else is as strong$/,
    );
    const { workflow } = withWorkflow(({ limits }) => ({ limits: { ...limits, max_sessions: 9 } }));
    expect(await headOf({ ...fewer, workflow })).toMatch(/^Changed: 1 pack is gone, and not/);
  });

  it("has a row for every field", () => {
    const { workflow } = OLD;
    const touched = ROWS.flatMap(([, change]) => (workflow === null ? [] : Object.keys(change(workflow))));
    expect(Object.keys(workflow ?? {}).filter((field) => !touched.includes(field))).toEqual(["at"]);
  });
});
