import type { ArtifactBody, CompiledPack, CompiledWorkflow } from "../../artifact/compiled.js";
import { FORMAT_VERSION } from "../../artifact/compiled.js";
import type { Place } from "../../artifact/compiled-value.js";
import { invariant } from "../../base/invariant.js";
import { assertWhole } from "../../language/draft.js";
import type { SessionContract } from "../../language/schema/session.js";
import type { ToolContract } from "../../language/schema/tool.js";
import type { WorkflowContract } from "../../language/schema/workflow.js";
import type { RuleContext } from "../rule-context.js";
import { expressionsNeedPrincipal } from "./lower-expression.js";
import {
  lowerAggregate,
  lowerEnvelope,
  lowerPhases,
  lowerProviders,
  lowerResources,
  lowerSettings,
  needsPrincipal,
} from "./lower-session.js";
import { lowerSlots } from "./lower-slots.js";
import { inOrder, lowerTool } from "./lower-tool.js";
import { placeIn } from "./lower-value.js";
import { placeAt, sessionChecks } from "./session-checks.js";

function forbiddenBy(contracts: readonly ToolContract[]): ReadonlyMap<string, readonly { at: Place; tool: string }[]> {
  const found = new Map<string, { at: Place; tool: string }[]>();
  for (const { tool, forbids_after: forbidden = [] } of contracts) {
    forbidden.forEach((name, index) => {
      const entry = { at: placeAt(forbidden, index), tool };
      const known = found.get(name);
      if (known === undefined) found.set(name, [entry]);
      else known.push(entry);
    });
  }
  return found;
}

const lowered = new WeakMap<RuleContext, CompiledPack>();

/** Lowers one pack without errors, so that every draft is a whole contract; once, for rules that read the result too. */
export function lowerPack(context: RuleContext): CompiledPack {
  const pack = lowered.get(context) ?? lowerWhole(context);
  lowered.set(context, pack);
  return pack;
}

function lowerWhole(context: RuleContext): CompiledPack {
  const session = context.session && assertWhole<SessionContract>(context.session);
  const contracts = context.tools.map(({ contract }) => assertWhole<ToolContract>(contract));
  const sorted = [...contracts].sort((a, b) => (a.tool < b.tool ? -1 : 1));
  const forbidden = forbiddenBy(sorted);
  const breaker = session?.session_limits?.circuit_breaker;
  const slots = lowerSlots(session, contracts);
  return {
    folder: context.files.folder,
    agent: session?.agent ?? null,
    phases: lowerPhases(session),
    needs_principal: needsPrincipal(session, contracts) || expressionsNeedPrincipal(context),
    narrows_at_cap: session?.session_limits?.max_tool_calls_mode === "narrow",
    circuit_breaker: {
      consecutive_blocks: breaker?.consecutive_blocks ?? null,
      consecutive_errors: breaker?.consecutive_errors ?? null,
    },
    tools: sorted.map((contract) => lowerTool(context, session, { contract, forbiddenBy: forbidden })),
    unmatched_checks: inOrder(sessionChecks(session, null)),
    aggregates: (session?.aggregates ?? []).map(lowerAggregate),
    envelopes: (session?.envelopes ?? []).map(lowerEnvelope),
    resources: lowerResources(session),
    providers: lowerProviders(session),
    ...lowerSettings(session),
    ...(slots === undefined ? {} : { slots }),
  };
}

function lowerWorkflow(root: RuleContext, packs: readonly RuleContext[]): CompiledWorkflow | null {
  if (root.workflow === null) return null;
  const workflow = assertWhole<WorkflowContract>(root.workflow);
  const limits = workflow.workflow_limits;
  return {
    at: placeAt(workflow, "workflow"),
    name: workflow.workflow,
    roles: workflow.roles.map((role, index) => {
      const target = root.roles[index]?.target;
      invariant(typeof target === "object", "every role leads to a pack");
      return { at: placeIn(role), name: role.name, pack: packs.indexOf(target) };
    }),
    handoffs: (workflow.handoffs ?? []).map((handoff) => ({
      at: placeIn(handoff),
      from: handoff.from,
      to: handoff.to,
      requires_artifacts: handoff.requires_artifacts ?? [],
      parent_close_policy: handoff.parent_close_policy ?? null,
    })),
    limits: {
      max_sessions: limits?.max_sessions ?? null,
      max_active_sessions: limits?.max_active_sessions ?? null,
      max_total_steps: limits?.max_total_steps ?? null,
      max_total_cost: limits?.max_total_cost ?? null,
      max_open_handoffs: limits?.max_open_handoffs ?? null,
    },
    shared_resources: (workflow.shared_resources ?? []).map((resource) => ({ at: placeIn(resource), ...resource })),
    subtree_kill: workflow.cancellation?.subtree_kill ?? false,
    workflow_kill: workflow.cancellation?.workflow_kill ?? null,
    parent_close_policy: workflow.parent_close_policy?.default ?? "request_cancel",
  };
}

/** Lowers a pack and the packs of its roles. */
export function lower(packs: readonly [RuleContext, ...RuleContext[]]): ArtifactBody {
  return {
    format: FORMAT_VERSION,
    language: packs.some((pack) => pack.version() === "1.1") ? "1.1" : "1.0",
    packs: packs.map(lowerPack),
    workflow: lowerWorkflow(packs[0], packs),
  };
}
