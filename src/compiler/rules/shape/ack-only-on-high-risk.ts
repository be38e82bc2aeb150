import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { HIGH_RISK } from "../../../language/side-effects.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly tool: string;
  readonly sideEffect: string;
}

/** An acknowledgement shows that a request arrived, not that money moved. */
export const ackOnlyOnHighRisk = defineRule<Params>({
  code: "ACK_ONLY_ON_HIGH_RISK",
  stage: "resolve",
  severity: "error",
  what: "A destructive, admin or financial tool has `evidence_class: ack_only`.",
  why: "An acknowledgement shows that a request arrived, not what it did; for a high-risk effect that is not evidence.",
  fix: "Use `local_transaction` where the result can be observed, or `unverifiable` for fire-and-forget.",
  message: ({ tool, sideEffect }) => `tool ${quoted(tool)} is ${sideEffect}; \`ack_only\` is not evidence for that`,
  help: () => "use `local_transaction` (observable results) or `unverifiable` (fire-and-forget)",
  check(context, report) {
    for (const { name, contract } of context.tools) {
      const { side_effect: sideEffect, evidence_class: evidence } = contract;
      if (evidence !== "ack_only" || sideEffect === undefined || !HIGH_RISK.has(sideEffect)) continue;
      report(valueSpan(contract, "evidence_class"), { tool: name, sideEffect });
    }
  },
});
