import type { Span } from "../../../diagnostics/source.js";
import { quoted } from "../../../diagnostics/wording.js";
import { keySpan, valueSpan } from "../../../language/located.js";
import { barrierOf } from "../../facts/call-order.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly tool: string;
  /** The risk class that the session blocks; null where the tool's own gate is shut. */
  readonly blocked: { readonly effect: string; readonly span: Span } | null;
}

/** A tool that is always refused is still offered to the model, and its other rules never matter. */
export const blockedTool = defineRule<Params>({
  code: "blocked_tool",
  stage: "graph",
  severity: "warning",
  what: "Every call of a tool is refused, by its `gate` or by the `risk_defaults` of its side effect.",
  why: "The tool can never be used, so nothing else in its contract ever matters.",
  fix: "Write `gate: allow` if the tool is meant to be used, or drop it.",
  message: ({ tool, blocked }) =>
    blocked === null
      ? `every call of ${quoted(tool)} is refused by its \`gate\``
      : `every call of ${quoted(tool)} is refused: \`risk_defaults\` blocks ${quoted(blocked.effect)} tools`,
  help: ({ blocked }) =>
    blocked === null
      ? "write `gate: allow` if the tool is meant to be used, or drop it"
      : "add `gate: allow` if the tool is meant to be used, or drop it",
  related: ({ blocked }) => (blocked === null ? [] : [{ span: blocked.span, message: "the default is here" }]),
  check(context, report) {
    const defaults = context.session?.risk_defaults;
    for (const tool of context.tools) {
      const { name, contract } = tool;
      const barrier = barrierOf(context, tool);
      const effect = contract.side_effect;
      if (barrier === "gate") report(valueSpan(contract, "gate"), { tool: name, blocked: null }, name);
      if (barrier !== "risk_defaults" || defaults === undefined || effect === undefined) continue;
      const blocked = { effect, span: keySpan(defaults, effect) };
      report(valueSpan(contract, "side_effect"), { tool: name, blocked }, name);
    }
  },
});
