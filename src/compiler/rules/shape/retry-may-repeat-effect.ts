import { quoted } from "../../../diagnostics/wording.js";
import { HIGH_RISK } from "../../../language/side-effects.js";
import { defineRule } from "../../rule.js";
import { eachName } from "../../rule-context.js";

interface Params {
  readonly tool: string;
  readonly token: string;
  readonly sideEffect: string;
}

const UNKNOWN_OUTCOME: ReadonlySet<string> = new Set(["timeout", "network", "transport_error", "408", "4xx", "5xx"]);

/** After a timeout it is unknown whether the effect happened; a retry may repeat it. */
export const retryMayRepeatEffect = defineRule<Params>({
  code: "retry_may_repeat_effect",
  stage: "resolve",
  severity: "warning",
  what: "A destructive, admin or financial tool is retried after a failure that leaves its effect unknown.",
  why: "The first attempt may have happened, so a retry may delete, grant or pay twice.",
  fix: 'Retry only what certainly did not happen, such as "429", or suppress the warning if the tool is idempotent.',
  message: ({ tool, token, sideEffect }) =>
    `${sideEffect} tool ${quoted(tool)} is retried on ${quoted(token)}: the effect may happen twice`,
  help: () => 'retry only what certainly did not happen, such as "429"',
  check(context, report) {
    for (const { name, contract } of context.tools) {
      const { side_effect: sideEffect, retries } = contract;
      if (sideEffect === undefined || !HIGH_RISK.has(sideEffect) || retries?.max_attempts === 1) continue;
      for (const { name: token, span } of eachName(retries?.retry_on)) {
        if (UNKNOWN_OUTCOME.has(token) || /^5[0-9][0-9]$/.test(token))
          report(span, { tool: name, token, sideEffect }, name);
      }
    }
  },
});
