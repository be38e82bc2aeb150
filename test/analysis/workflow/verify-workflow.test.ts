import { describe, expect, it } from "vitest";
import { verify } from "../../../src/analysis/verify.js";
import { verifyWorkflow } from "../../../src/analysis/workflow/verify-workflow.js";
import type { WorkflowVerification } from "../../../src/analysis/workflow/workflow-verification.js";
import { workflowStepText } from "../../../src/analysis/workflow/workflow-words.js";
import { compileFolder } from "../../../src/compiler/compile-pack.js";
import { MemoryStore } from "../../../src/stores/memory-store.js";
import { withPack } from "../../support/pack-text.js";

const BOUNDS = { depth: 50, states: 1000, sessions: 2 };

async function verified(text: string, sessions = BOUNDS.sessions): Promise<WorkflowVerification> {
  const { artifact, claims, roleClaims, diagnostics } = withPack(text, (folder) => compileFolder(folder));
  if (artifact === null) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const explored = (await verify(artifact, claims, BOUNDS)).values();
  const packs = artifact.packs.map(({ tools }) => (tools.length === 0 ? null : (explored.next().value ?? null)));
  const given = { claims: roleClaims, packs, openStore: () => new MemoryStore(() => 0) };
  const found = await verifyWorkflow(artifact, given, { ...BOUNDS, sessions });
  if (found === null) throw new Error("there is no workflow");
  return found;
}

/** A role whose sessions go through two tools, each on a repository that its contract names. */
function role(name: string, tools: readonly (readonly [tool: string, key: string, more?: string])[]): string {
  const phases = ["open", "half", "done"];
  const texts = tools.map(
    ([tool, key, more = ""], at) => `#== packs/${name}/${tool}.yaml (with the required fields)
side_effect: write
assertions: { input_invariants: [{ path: $.repository, one_of: [${key}] }], output_invariants: [] }
transitions: { valid_in_phases: [${phases[at]}], advances_to: ${phases[at + 1]} }
${more}
`,
  );
  return `#== packs/${name}/session.yaml (with the required fields)
phases: [{ name: open, initial: true }, { name: half }, { name: done, terminal: true }]
transitions: { open: [half], half: [done] }
resources: { repository: { type: repository, extract_from: { path: $.repository } } }
${texts.join("")}`;
}

/** A worker and a reviewer that hands off to it. */
function pack(claims: string, { limits = "", mode = "single_writer", more = "" } = {}): string {
  return `#== claims.yaml (with the required fields)
claims:
${claims}
#== workflow.yaml (with the required fields)
roles:
  - { name: reviewer, session_contract: packs/reviewer/session.yaml }
  - { name: worker, session_contract: packs/worker/session.yaml }
handoffs: [{ from: reviewer, to: worker, requires_artifacts: [task] }]
workflow_limits: { ${limits} }
shared_resources: [{ alias: repository, mode: ${mode} }]
${role("reviewer", [
  ["merge", "a, b"],
  ["tag", "a, b"],
])}
${role("worker", [
  ["write_file", "a, b"],
  ["push", "a, b"],
])}#== packs/worker/read_file.yaml (with the required fields)
${more}`;
}

function outcome({ claims: [claim] }: WorkflowVerification): readonly unknown[] {
  return [claim?.status, claim?.by];
}

function stepsOf({ claims: [claim] }: WorkflowVerification): readonly string[] {
  return claim?.trace?.steps.map(workflowStepText) ?? [];
}

describe("a claim that a role never calls a tool", () => {
  it("is proved of a tool without a contract in the pack of the role", async () => {
    const found = await verified(pack("  - never: { role: worker, tool: merge }"));
    expect(outcome(found)).toEqual(["proved", "no_contract"]);
  });

  it("is proved of a tool that the rules of the role never allow", async () => {
    const text = pack("  - never: { role: worker, tool: read_file }", { more: "gate: block" });
    expect(outcome(await verified(text))).toEqual(["proved", "never_allowed"]);
  });

  it("is proved of a role for which the limits leave no room", async () => {
    const text = pack("  - never: { role: worker, tool: push }", { limits: "max_sessions: 1" });
    expect(outcome(await verified(text))).toEqual(["proved", "role_never_starts"]);
  });

  it("is proved where no call is allowed in the workflow", async () => {
    const text = pack("  - never: { role: worker, tool: push }", { limits: "max_total_cost: 0" });
    expect(outcome(await verified(text))).toEqual(["proved", "limit_of_zero"]);
  });

  it("is violated by a session that begins by its handoff", async () => {
    const found = await verified(pack("  - never: { role: worker, tool: push }"));
    expect(outcome(found)).toEqual(["violated", null]);
    expect(stepsOf(found)).toEqual([
      "reviewer-1 starts",
      "reviewer-1 hands off to worker-1",
      'worker-1: write_file {"repository":"a"} -> {} (half)',
      'worker-1: push {"repository":"a"} -> {} (done)',
    ]);
  });

  it("is left open where the limits of the workflow end every session that was found before the call", async () => {
    const found = await verified(pack("  - never: { role: worker, tool: push }", { limits: "max_total_steps: 1" }));
    expect(outcome(found)).toEqual(["no_counterexample", null]);
    expect(found.claims[0]?.met).not.toEqual([]);
  });
});

describe("a claim that a role never calls a tool while another session holds a resource", () => {
  const claim = (tool: string) =>
    `  - never: { role: worker, tool: ${tool}, while: { role: reviewer, holds: repository } }`;

  it.each(["single_writer", "exclusive_pending", "serial_only"])("is proved of calls that %s refuses", async (mode) => {
    expect(outcome(await verified(pack(claim("write_file"), { mode })))).toEqual(["proved", "resource_refuses"]);
  });

  it("is violated by a call that names no resource", async () => {
    const found = await verified(pack(claim("read_file")));
    expect(stepsOf(found)).toEqual([
      "reviewer-1 starts",
      "reviewer-1 hands off to worker-1",
      'reviewer-1: merge {"repository":"a"} -> {} (half)',
      "worker-1: read_file {} (still running) (open)",
    ]);
  });

  it("is violated while a call of the holder runs, where settled ones hold nothing", async () => {
    const found = await verified(pack(claim("read_file"), { mode: "serial_only" }));
    expect(stepsOf(found).slice(-2)).toEqual([
      'reviewer-1: merge {"repository":"a"} (still running) (open)',
      "worker-1: read_file {} (still running) (open)",
    ]);
  });

  it("is violated by a holder that has ended before its call was settled", async () => {
    const found = await verified(`#== claims.yaml (with the required fields)
claims:
  - never: { role: worker, tool: read_file, while: { role: reviewer, holds: repository } }
#== workflow.yaml (with the required fields)
roles:
  - { name: reviewer, session_contract: packs/reviewer/session.yaml }
  - { name: worker, session_contract: packs/worker/session.yaml }
workflow_limits: { max_active_sessions: 1 }
shared_resources: [{ alias: repository, mode: exclusive_pending }]
${role("reviewer", [
  ["merge", "a"],
  ["tag", "a"],
])}
${role("worker", [
  ["write_file", "a"],
  ["push", "a"],
])}#== packs/worker/read_file.yaml (with the required fields)
`);
    expect(stepsOf(found)).toEqual([
      "reviewer-1 starts",
      'reviewer-1: merge {"repository":"a"} (still running) (open)',
      "reviewer-1 closes",
      "worker-1 starts",
      "worker-1: read_file {} (still running) (open)",
    ]);
  });

  it("is violated by a holder that makes room for those whom it started", async () => {
    const found = await verified(`#== claims.yaml (with the required fields)
claims:
  - never: { role: worker, tool: read_file, while: { role: lead, holds: repository } }
#== workflow.yaml (with the required fields)
roles: [${["lead", "planner", "worker"].map((name) => `{ name: ${name}, session_contract: packs/${name}/session.yaml }`).join(", ")}]
handoffs:
  - { from: lead, to: planner, parent_close_policy: abandon }
  - { from: planner, to: worker }
workflow_limits: { max_sessions: 3, max_active_sessions: 2 }
shared_resources: [{ alias: repository, mode: single_writer }]
${role("lead", [
  ["merge", "a"],
  ["tag", "a"],
])}
${role("planner", [
  ["plan", "b"],
  ["split", "b"],
])}
${role("worker", [
  ["write_file", "a"],
  ["push", "a"],
])}#== packs/worker/read_file.yaml (with the required fields)
`);
    expect(stepsOf(found)).toEqual([
      "lead-1 starts",
      "lead-1 hands off to planner-1",
      'lead-1: merge {"repository":"a"} (still running) (open)',
      "lead-1 closes",
      "planner-1 hands off to worker-1",
      "worker-1: read_file {} (still running) (open)",
    ]);
  });

  it("is proved where nothing that the other role can call holds the resource", async () => {
    const text = pack("  - never: { role: worker, tool: read_file, while: { role: reviewer, holds: repository } }");
    const reading = text.replaceAll(/(packs\/reviewer\/[a-z_]+\.yaml[^#]*?side_effect: )write/g, "$1read");
    const found = await verified(reading);
    expect(outcome(found)).toEqual(["proved", "never_held"]);
    // A tool without a contract may hold it.
    expect(found.claims[0]?.because).toContain('unless `unmatched: "allow"` is given');
  });

  it("is proved where the role has no second session", async () => {
    const text = pack("  - never: { role: worker, tool: read_file, while: { role: worker, holds: repository } }", {
      limits: "max_sessions: 2",
    });
    expect(outcome(await verified(text))).toEqual(["proved", "one_session"]);
  });
});

describe("a claim about the number of sessions of a role", () => {
  it("is proved by the limit, less the sessions that must have started before", async () => {
    const found = await verified(pack("  - at_most: { role: worker, sessions: 3 }", { limits: "max_sessions: 4" }));
    expect(outcome(found)).toEqual(["proved", "session_limit"]);
  });

  it("is violated where closing makes room for more", async () => {
    const limits = "max_sessions: 4, max_active_sessions: 2";
    const found = await verified(pack("  - at_most: { role: worker, sessions: 2 }", { limits }));
    expect(outcome(found)).toEqual(["violated", null]);
    expect(stepsOf(found)).toEqual([
      "reviewer-1 starts",
      "reviewer-1 hands off to worker-1",
      "worker-1 closes",
      "reviewer-1 hands off to worker-2",
      "worker-2 closes",
      "reviewer-1 hands off to worker-3",
    ]);
  });

  it("is violated without limits, however many are claimed", async () => {
    expect(outcome(await verified(pack("  - at_most: { role: worker, sessions: 20 }")))).toEqual(["violated", null]);
  });

  it("is violated at the end of a long chain of handoffs", async () => {
    const names = Array.from({ length: 30 }, (_, at) => `r${at}`);
    const roles = names.map((name) => ({ name, session_contract: "packs/worker/session.yaml" }));
    const handoffs = names.slice(1).map((to, at) => ({ from: names[at], to }));
    const found = await verified(`#== claims.yaml (with the required fields)
claims: [{ at_most: { role: r29, sessions: 1 } }]
#== workflow.yaml (with the required fields)
roles: ${JSON.stringify(roles)}
handoffs: ${JSON.stringify(handoffs)}
workflow_limits: { max_active_sessions: 40 }
#== packs/worker/session.yaml (with the required fields)
#== packs/worker/read_file.yaml (with the required fields)
`);
    expect(outcome(found)).toEqual(["violated", null]);
    expect(stepsOf(found).length).toBe(31);
  });

  it("is left open beyond the number of sessions that are counted", async () => {
    const found = await verified(pack("  - at_most: { role: worker, sessions: 5000 }"));
    expect(outcome(found)).toEqual(["no_counterexample", null]);
    expect(found.claims[0]?.met).toContain("sessions_counted");
  });
});

describe("deadlocks", () => {
  const NO_CLAIM = "  - at_most: { role: worker, sessions: 5000 }";
  const crossed = ({ asking = "", first = "b", second = "a" } = {}) => `#== claims.yaml (with the required fields)
claims:
${NO_CLAIM}
#== workflow.yaml (with the required fields)
roles:
  - { name: reviewer, session_contract: packs/reviewer/session.yaml }
  - { name: worker, session_contract: packs/worker/session.yaml }
shared_resources: [{ alias: repository, mode: single_writer }]
${role("reviewer", [
  ["merge", first],
  ["tag", second, asking],
])}
${role("worker", [
  ["write_file", "a"],
  ["push", "b"],
])}`;

  it("are found where two roles take two resources in opposite orders", async () => {
    const { deadlocks } = await verified(crossed());
    expect(deadlocks.map(({ trace }) => trace.steps.map(workflowStepText))).toEqual([
      [
        "reviewer-1 starts",
        "worker-1 starts",
        'reviewer-1: merge {"repository":"b"} -> {} (half)',
        'worker-1: write_file {"repository":"a"} -> {} (half)',
        'reviewer-1: tag {"repository":"a"} REFUSED: resource_conflict (half)',
        'worker-1: push {"repository":"b"} REFUSED: resource_conflict (half)',
      ],
    ]);
    expect(deadlocks[0]?.sessions).toMatchObject([
      { session: "reviewer-1", holds: [{ alias: "repository", key: "b" }], wants: { tool: "tag" } },
      { session: "worker-1", holds: [{ alias: "repository", key: "a" }], wants: { tool: "push" } },
    ]);
  });

  it("are not resolved by an approval, which comes when the resource is taken", async () => {
    const { deadlocks } = await verified(crossed({ asking: "checkpoint: { when: always, timeout_seconds: 60 }" }));
    expect(deadlocks[0]?.trace.steps.map(workflowStepText)).toEqual([
      "reviewer-1 starts",
      "worker-1 starts",
      'reviewer-1: merge {"repository":"b"} -> {} (half)',
      'reviewer-1: tag {"repository":"a"} [waits for an approval]',
      'worker-1: write_file {"repository":"a"} -> {} (half)',
      "reviewer-1: the approval of tag comes REFUSED: resource_conflict",
      'worker-1: push {"repository":"b"} REFUSED: resource_conflict (half)',
    ]);
  });

  it("are proved only where the rules list the keys", async () => {
    expect((await verified(crossed())).deadlocks.map(({ isProved }) => isProved)).toEqual([true]);
    const unlisted = crossed().replaceAll(/one_of: \[([ab])\]/g, (_, key) => `regex: "^${key}$"`);
    expect((await verified(unlisted)).deadlocks.map(({ isProved }) => isProved)).toEqual([false]);
  });

  it("are none where both take them in the same order", async () => {
    expect((await verified(crossed({ first: "a", second: "b" }))).deadlocks).toEqual([]);
  });

  it.each(["exclusive_pending", "serial_only"])("are none where nothing is held between calls (%s)", async (mode) => {
    expect((await verified(crossed().replace("single_writer", mode))).deadlocks).toEqual([]);
  });

  it("are none where a session can choose another resource", async () => {
    expect((await verified(pack(NO_CLAIM))).deadlocks).toEqual([]);
  });

  it("are none where one of the sessions could not finish by its own rules either", async () => {
    const stuck = crossed().replace("valid_in_phases: [half], advances_to: done", "valid_in_phases: [half]");
    expect((await verified(stuck)).deadlocks).toEqual([]);
  });

  it("are none where the limits of the workflow keep one of the sessions out", async () => {
    const text = crossed().replace(
      "shared_resources:",
      "workflow_limits: { max_active_sessions: 1 }\nshared_resources:",
    );
    expect((await verified(text)).deadlocks).toEqual([]);
  });

  it("between three sessions are found too", async () => {
    const { deadlocks } = await verified(`#== workflow.yaml (with the required fields)
roles:
  - { name: one, session_contract: packs/one/session.yaml }
  - { name: two, session_contract: packs/two/session.yaml }
  - { name: three, session_contract: packs/three/session.yaml }
shared_resources: [{ alias: repository, mode: single_writer }]
${role("one", [
  ["first_one", "a"],
  ["second_one", "b"],
])}
${role("two", [
  ["first_two", "b"],
  ["second_two", "c"],
])}
${role("three", [
  ["first_three", "c"],
  ["second_three", "a"],
])}`);
    expect(deadlocks.map(({ sessions }) => sessions.map(({ session }) => session))).toEqual([
      ["one-1", "two-1", "three-1"],
    ]);
  });

  it("of one role need as many sessions of it as may be tried", async () => {
    const choosing = role("worker", [
      ["take_a", "a"],
      ["give_b", "b"],
    ]).replace("{ name: half }", "{ name: half }, { name: other }");
    const text = `#== workflow.yaml (with the required fields)
roles: [{ name: worker, session_contract: packs/worker/session.yaml }]
shared_resources: [{ alias: repository, mode: single_writer }]
${choosing.replace("open: [half], half: [done]", "open: [half, other], half: [done], other: [done]")}
${["take_b open other b", "give_a other done a"]
  .map((line) => line.split(" "))
  .map(
    ([tool, from, to, key]) => `#== packs/worker/${tool}.yaml (with the required fields)
side_effect: write
assertions: { input_invariants: [{ path: $.repository, one_of: [${key}] }], output_invariants: [] }
transitions: { valid_in_phases: [${from}], advances_to: ${to} }
`,
  )
  .join("")}`;
    const { deadlocks } = await verified(text);
    expect(deadlocks.map(({ sessions }) => sessions.map(({ session }) => session))).toEqual([["worker-1", "worker-2"]]);
    const alone = await verified(text, 1);
    expect(alone.deadlocks).toEqual([]);
    expect(alone.bounds.hit).toContain("sessions");
  });
});
