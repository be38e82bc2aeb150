import type { Artifact } from "../../../src/artifact/compiled.js";
import { tool } from "../../differential/scenario.js";
import type { Random } from "../../support/random.js";
import { tryCompileWorkflow } from "../../workflow-reference/compile-workflow.js";
import type { WorkflowPack } from "../../workflow-reference/reference/model.js";

/** Few keys, so that sessions meet. */
export const KEYS = ["1", "2", 2] as const;

/** What each tool touches. */
export const TOOLS = ["look", "edit", "pay", "fire", "ask"] as const;

export const ALIASES = ["file", "order", "queue"] as const;

const RESOURCES = Object.fromEntries(
  ALIASES.map((alias) => [alias, { type: alias, extract_from: { path: `$.${alias}` } }]),
);

const POLICIES = ["request_cancel", "terminate", "abandon"] as const;

/** A lead hands off to workers, and they to helpers; three resources, each with its mode. */
function workflowOf(random: Random): WorkflowPack {
  const roles = ["lead", "worker", "helper"];
  const checkpoint = { when: "always" as const, timeout_seconds: 30 };
  const tools = [
    tool("look", { side_effect: "read" }),
    tool("edit"),
    tool("pay", { side_effect: "financial" }),
    tool("fire", { commit_requirement: "none" }),
    tool("ask", { checkpoint }),
  ];
  const session = { schema_version: "1.0", agent: "simulated", resources: RESOURCES };
  return {
    workflow: {
      schema_version: "1.0",
      workflow: "simulated",
      roles: roles.map((name) => ({ name, session_contract: `packs/${name}/session.yaml` })),
      handoffs: [
        { from: "lead", to: "worker", requires_artifacts: ["task"], parent_close_policy: random.pick(POLICIES) },
        { from: "worker", to: "helper", parent_close_policy: random.pick(POLICIES) },
      ],
      workflow_limits: {
        max_sessions: random.pick([10, 30, 60]),
        max_active_sessions: random.pick([4, 6, 9]),
        max_open_handoffs: random.pick([2, 4]),
        max_total_steps: random.pick([60, 300, 1_000]),
        max_total_cost: random.pick([3, 50]),
      },
      shared_resources: [
        { alias: "file", mode: "single_writer" },
        { alias: "order", mode: "exclusive_pending" },
        { alias: "queue", mode: "serial_only" },
      ],
      cancellation: { subtree_kill: true, workflow_kill: "operator_only" },
    },
    packs: new Map(roles.map((role) => [role, { tools, session, definitions: null }])),
  };
}

/** The workflow of a world, as it is written and as it is enforced. */
export function simulatedWorkflow(random: Random): { readonly pack: WorkflowPack; readonly artifact: Artifact } {
  const pack = workflowOf(random);
  const artifact = tryCompileWorkflow(pack);
  if (typeof artifact === "string") throw new Error(artifact);
  return { pack, artifact };
}
