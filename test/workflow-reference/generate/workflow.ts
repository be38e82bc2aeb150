import type { WorkflowContract } from "../../../src/language/schema/workflow.js";
import { someCallablePack } from "../../differential/generate/callable-pack.js";
import type { Random } from "../../differential/generate/random.js";
import { someNature } from "../../differential/generate/tool.js";
import type { Pack } from "../../differential/reference/model.js";
import { tool } from "../../differential/scenario.js";
import type { WorkflowPack } from "../reference/model.js";

const POLICIES = ["request_cancel", "terminate", "abandon"] as const;
const MODES = ["single_writer", "exclusive_pending", "serial_only"] as const;
const ALIASES = ["order", "file", "name"];
export const ARTIFACTS = ["summary", "plan"];

/** Where the keys of each resource are, mostly: few values, so that sessions meet. */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  order: ["$.id"],
  file: ["$.id", "$.s", "$.obj.n", "$.list[0]"],
  name: ["$.s", "$.n", "$.flag", "$.x"],
};

type Handoff = NonNullable<WorkflowContract["handoffs"]>[number];

/** Mostly forward from the first role, which no handoff leads to, so that every role can be reached. */
function someHandoffs(random: Random, roles: readonly string[]): Handoff[] {
  const handoffs: Handoff[] = [];
  for (const [at, to] of roles.entries()) {
    if (at === 0) continue;
    const before = random.subset(roles.slice(0, at), 0.4);
    const reached = before.length > 0 || random.chance(0.75);
    const from = before.length > 0 ? before : reached ? [random.pick(roles.slice(0, at))] : [];
    const back = reached ? random.subset(roles.slice(at), 0.15) : [];
    for (const role of [...from, ...back]) handoffs.push(someHandoff(random, role, to));
  }
  return handoffs;
}

function someHandoff(random: Random, from: string, to: string): Handoff {
  return {
    from,
    to,
    ...random.maybe(0.4, () => ({ requires_artifacts: random.some(ARTIFACTS, 0.5) })),
    ...random.maybe(0.6, () => ({ parent_close_policy: random.pick(POLICIES) })),
  };
}

/** Low enough to be reached, and often none at all, so that later checks are reached too. */
function someLimits(random: Random): Pick<WorkflowContract, "workflow_limits"> {
  const often = random.pick([0, 0.15, 0.4]);
  return random.maybe(often === 0 ? 0 : 1, () => ({
    workflow_limits: {
      ...random.maybe(often, () => ({ max_sessions: random.pick([1, 2, 3, 5, 8]) })),
      ...random.maybe(often, () => ({ max_active_sessions: random.pick([1, 2, 3, 4]) })),
      ...random.maybe(often, () => ({ max_total_steps: random.pick([0, 2, 4, 8, 15]) })),
      ...random.maybe(often, () => ({ max_total_cost: random.pick([0, 0.3, 1, 2]) })),
      ...random.maybe(often, () => ({ max_open_handoffs: random.pick([0, 1, 2, 3]) })),
    },
  }));
}

/** A few tools without rules; now and then a checkpoint, an output that is judged, or a circuit breaker. */
function plainPack(random: Random): Pack {
  const features = new Set(random.chance(0.4) ? (["dispatch"] as const) : []);
  const names = ["alpha", "beta", "gamma"].slice(0, random.pick([1, 2, 3]));
  const judged = { input_invariants: [], output_invariants: [{ path: "$.ok", equals: true }] };
  const checkpoint = {
    when: "always" as const,
    timeout_seconds: 30,
    on_timeout: random.pick(["deny", "allow"] as const),
  };
  const tools = names.map((name) =>
    tool(name, {
      ...someNature({ random, features }),
      ...random.maybe(0.15, () => ({ checkpoint })),
      ...random.maybe(0.1, () => ({ assertions: judged })),
      ...random.maybe(0.1, () => ({ allowed_errors: ["5xx"] })),
    }),
  );
  const limits = {
    ...random.maybe(0.1, () => ({ max_steps: random.pick([1, 3]) })),
    ...random.maybe(0.15, () => ({ circuit_breaker: { consecutive_blocks: random.pick([1, 2, 3]) } })),
    ...random.maybe(0.1, () => ({ circuit_breaker: { consecutive_errors: random.pick([1, 2]) } })),
  };
  return { tools, session: { schema_version: "1.0", agent: "plain", session_limits: limits }, definitions: null };
}

/** The pack with resources in its session.yaml. */
function withResources(random: Random, pack: Pack, aliases: readonly string[]): Pack {
  const resources = Object.fromEntries(
    aliases.map((alias) => [alias, { type: alias, extract_from: { path: random.pick(PATHS[alias] ?? ["$.id"]) } }]),
  );
  return { ...pack, session: { schema_version: "1.0", agent: "plain", ...pack.session, resources } };
}

/** A workflow that the compiler accepts. */
export function someWorkflow(random: Random): WorkflowPack {
  const roles = ["lead", "worker", "helper", "judge"].slice(0, random.pick([1, 2, 2, 3, 3, 4]));
  const shared = random.subset(ALIASES, random.pick([0, 0.5, 0.9]));
  const declaring = new Map(shared.map((alias) => [alias, new Set(random.some(roles, 0.8))]));
  const handoffs = someHandoffs(random, roles);
  const packs = roles.map((role): [string, Pack] => {
    const pack = random.chance(0.75) ? plainPack(random) : someCallablePack(random);
    return [
      role,
      withResources(
        random,
        pack,
        shared.filter((alias) => declaring.get(alias)?.has(role)),
      ),
    ];
  });
  return {
    workflow: {
      schema_version: "1.0",
      workflow: "generated",
      roles: roles.map((name) => ({ name, session_contract: `packs/${name}/session.yaml` })),
      ...(handoffs.length === 0 ? {} : { handoffs }),
      ...someLimits(random),
      ...(shared.length === 0
        ? {}
        : { shared_resources: shared.map((alias) => ({ alias, mode: random.pick(MODES) })) }),
      ...random.maybe(0.7, () => ({
        cancellation: {
          ...random.maybe(0.8, () => ({ subtree_kill: random.chance(0.75) })),
          ...random.maybe(0.3, () => ({ workflow_kill: "operator_only" as const })),
        },
      })),
      ...random.maybe(0.5, () => ({ parent_close_policy: { default: random.pick(POLICIES) } })),
    },
    packs: new Map(packs),
  };
}
