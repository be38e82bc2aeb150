import type { PackRule, RuleKind } from "../../artifact/pack-rules.js";

/** The headings of rules, in the order of checks. */
const GROUPS: readonly (readonly [title: string, kinds: readonly RuleKind[]])[] = [
  ["Whether it may be called at all", ["gate"]],
  ["Who may call", ["policy_deny", "policy_allow", "default_deny"]],
  ["Labels of the session", ["label_gate"]],
  ["When it may be called", ["phase", "forbidden_by", "precondition"]],
  [
    "How often",
    ["max_steps", "max_tool_calls", "max_calls_per_tool", "max_calls_per_step", "max_cost", "loop_detection"],
  ],
  [
    "What the arguments must be",
    ["schema", "input_invariant", "execution_constraint", "argument_invariant", "derived_invariant", "ref", "capture"],
  ],
  ["What must be true", ["requires"]],
  ["Values over a session", ["aggregate", "envelope"]],
  ["Approval by a person", ["checkpoint"]],
  ["What the result must be", ["output_invariant", "ensures", "output_stage"]],
  ["When a session ends early", ["circuit_breaker"]],
  ["Requests to the model", ["provider_block", "provider_warn", "floating_alias"]],
  ["What the model's response must be", ["response_format"]],
];

/** Rules by heading; headings without a rule are left out. */
export function grouped(
  rules: readonly PackRule[],
): readonly { readonly title: string; readonly rules: readonly PackRule[] }[] {
  return GROUPS.map(([title, kinds]) => ({
    title,
    rules: rules.filter(({ body }) => kinds.includes(body.kind)),
  })).filter((group) => group.rules.length > 0);
}
