import { quoted } from "../../../diagnostics/wording.js";
import type { Draft } from "../../../language/draft.js";
import { valueSpan } from "../../../language/located.js";
import type { Envelope, Stage } from "../../../language/schema/session.js";
import { CONSTRAINT_ROLES } from "../../constraint-roles.js";
import { type CallOrder, callOrder } from "../../facts/call-order.js";
import type { NamedTool } from "../../named-tool.js";
import { defineRule } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";

interface Params {
  readonly tool: string;
  readonly envelope: string;
  readonly role: string;
}

/** Stages that set what a constrained value is compared with, by role. */
function settersIn(
  context: RuleContext,
  { constraint, stages }: Draft<Envelope>,
): ReadonlyMap<string, readonly NamedTool[]> {
  const roles = constraint === undefined ? [] : CONSTRAINT_ROLES[constraint];
  const sets = (role: string, stage: Draft<Stage>) =>
    stage.role === role ||
    // A monotonic envelope continues from constrained values, and those in an output are judged only after the call.
    (role === "initial" && stage.role === "constrained" && stage.source === "output");
  const toolsOf = (role: string) =>
    (stages ?? [])
      .filter((stage) => sets(role, stage))
      .flatMap((stage) => context.toolsByName.get(stage.tool ?? "") ?? []);
  return new Map(roles.map((role) => [role, [...new Set(toolsOf(role))]]));
}

/** The role whose value nothing can have set when the tool is called. */
function unsetRole(
  order: CallOrder,
  setters: ReadonlyMap<string, readonly NamedTool[]>,
  tool: NamedTool,
): string | null {
  for (const [role, tools] of setters) {
    // A call is judged against the references before it, so its own stages do not count.
    if (!order.mayFollow(tool, tools)) return role;
  }
  return null;
}

/** A value that is compared with nothing is refused. */
export const referenceAfterConstrained = defineRule<Params>({
  code: "reference_after_constrained",
  stage: "graph",
  severity: "warning",
  what: "An envelope constrains a tool whose reference no other tool can have set before.",
  why: "A constrained value without its reference is refused, so the tool can never be called.",
  fix: "Set the reference in a tool that can be called before this one, or remove the stage.",
  message: ({ tool, envelope, role }) =>
    `${quoted(tool)} can never be called: nothing sets the ${role === "initial" ? "initial value" : role} of ${quoted(envelope)} before`,
  help: ({ role }) =>
    `add a stage with \`role: ${role}\` for a tool that can be called before this one, or remove this stage`,
  check(context, report) {
    const order = callOrder(context);
    for (const envelope of context.session?.envelopes ?? []) {
      const setters = settersIn(context, envelope);
      const judged = new Set<NamedTool>();
      for (const stage of envelope.stages ?? []) {
        const tool = context.toolsByName.get(stage.tool ?? "");
        // A value in an output is judged after the call, which then has happened.
        if (tool === undefined || stage.role !== "constrained" || stage.source === "output") continue;
        // Other rules report a tool that can never be called.
        if (judged.has(tool) || !order.isCallable(tool)) continue;
        judged.add(tool);
        const role = unsetRole(order, setters, tool);
        if (role !== null)
          report(valueSpan(stage, "tool"), { tool: tool.name, envelope: envelope.name ?? "", role }, tool.name);
      }
    }
  },
});
