import { listed, quoted } from "../../../diagnostics/wording.js";
import { assertWhole, type Draft } from "../../../language/draft.js";
import { valueSpan } from "../../../language/located.js";
import type { Checkpoint, Condition } from "../../../language/schema/shared.js";
import { type CheckpointCondition, isExpressionCondition } from "../../checkpoint-conditions.js";
import { type ArgumentDemands, argumentDemands } from "../../facts/argument-demands.js";
import { failsAlways, isPossible } from "../../facts/possible-values.js";
import { demandsOf, spelling, type WrittenDemand } from "../../facts/written-demands.js";
import { lowerPath } from "../../lower/lower-value.js";
import type { NamedTool } from "../../named-tool.js";
import { defineRule } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";

type Params =
  | { readonly kind: "side_effect"; readonly sideEffect: string; readonly tool: string | null }
  | { readonly kind: "conditions"; readonly paths: readonly string[]; readonly condition: WrittenDemand | undefined };

const MOST_DEMANDS = 200;

interface DeadCondition {
  readonly path: string;
  readonly operators: readonly WrittenDemand[];
}

function deadCondition(condition: Condition, accepted: ArgumentDemands): DeadCondition | null {
  const path = lowerPath(condition.path);
  if (path.kind !== "definite") return null;
  const demands = accepted.get(path.text) ?? [];
  // Thousands of conditions on an argument with thousands of demands would take too long.
  if (demands.length > MOST_DEMANDS) return null;
  const operators = demandsOf(condition);
  // Where no value is accepted at all, another rule reports that.
  return isPossible(demands) && failsAlways(operators, demands) ? { path: path.text, operators } : null;
}

/** The conditions that keep a checkpoint from ever asking; none where it may ask. */
function deadConditions({ when, match }: Draft<Checkpoint>, accepted: ArgumentDemands): readonly DeadCondition[] {
  if (when === undefined || when === "always") return [];
  const conditions = assertWhole<readonly CheckpointCondition[]>(when);
  // Other rules report an expression that is never true.
  const dead = conditions.map((condition) =>
    isExpressionCondition(condition) ? null : deadCondition(condition, accepted),
  );
  const found = dead.filter((condition) => condition !== null);
  return match === "all" ? found.slice(0, 1) : found.length === conditions.length ? found : [];
}

interface Place {
  readonly checkpoint: Draft<Checkpoint>;
  /** Null for a checkpoint of all tools. */
  readonly tool: NamedTool | null;
}

function* checkpointsOf(context: RuleContext): Generator<Place> {
  for (const tool of context.tools) {
    if (tool.contract.checkpoint !== undefined) yield { checkpoint: tool.contract.checkpoint, tool };
  }
  for (const checkpoint of context.session?.checkpoints ?? []) {
    const tool = context.toolsByName.get(checkpoint.tool ?? "");
    yield { checkpoint, tool: checkpoint.tool === "*" ? null : (tool ?? null) };
  }
}

/** An approval that is never asked for protects nothing. */
export const deadCheckpoint = defineRule<Params>({
  code: "dead_checkpoint",
  stage: "graph",
  severity: "warning",
  what: "A checkpoint never asks for approval: its conditions contradict what the tool accepts, or no tool it is for has its side effect.",
  why: "Its author relies on an approver being asked, and that never happens.",
  fix: "Correct the conditions or the side effect, or drop the checkpoint.",
  message(params) {
    if (params.kind === "conditions") {
      const { paths, condition } = params;
      return condition === undefined
        ? `the checkpoint never asks: no accepted value of ${listed(paths)} meets its conditions`
        : `the checkpoint never asks: no accepted value of ${listed(paths)} meets ${quoted(spelling(condition))}`;
    }
    const { tool, sideEffect } = params;
    return tool === null
      ? `the checkpoint never asks: no tool has the side effect ${quoted(sideEffect)}`
      : `the checkpoint never asks: ${quoted(tool)} does not have the side effect ${quoted(sideEffect)}`;
  },
  help: ({ kind }) =>
    kind === "conditions"
      ? "make the condition cover values that the tool accepts, or drop the checkpoint"
      : "correct `when_side_effect`, or drop the checkpoint",
  check(context, report) {
    const sideEffects = new Set<string>(context.tools.flatMap(({ contract }) => contract.side_effect ?? []));
    for (const { checkpoint, tool } of checkpointsOf(context)) {
      const only = checkpoint.when_side_effect;
      const isFor = (sideEffect: string) =>
        tool === null ? sideEffects.has(sideEffect) : tool.contract.side_effect === sideEffect;
      if (only !== undefined && !isFor(only)) {
        const span = valueSpan(checkpoint, "when_side_effect");
        report(span, { kind: "side_effect", sideEffect: only, tool: tool?.name ?? null }, tool?.name);
        continue;
      }
      // A checkpoint of all tools is also for tools that have no contract, whose arguments may be anything.
      if (tool === null) continue;
      const dead = deadConditions(checkpoint, argumentDemands(context, tool));
      const operators = dead.flatMap((condition) => condition.operators);
      const [first] = operators;
      if (first === undefined) continue;
      const paths = [...new Set(dead.map(({ path }) => path))];
      report(
        first.span,
        { kind: "conditions", paths, condition: operators.length === 1 ? first : undefined },
        tool.name,
      );
    }
  },
});
