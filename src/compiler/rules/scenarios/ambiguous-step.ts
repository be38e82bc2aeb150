import { durationOf } from "../../../base/duration.js";
import { momentOfText } from "../../../base/moment.js";
import { isDamaged } from "../../../language/draft.js";
import { keySpan, spanOf, valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";
import { ACTIONS, actionsOf, endingsOf, idleKeysOf } from "../../scenario-actions.js";

/** The last moment of a year that a timestamp may have. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A step that does two things would leave their order open, and one that does nothing tests nothing. */
export const ambiguousStep = defineRule<{ readonly problem: string; readonly help: string }>({
  code: "ambiguous_step",
  stage: "resolve",
  severity: "error",
  what: "A step of a scenario does not say what happens, says several things at once, or something that has no effect.",
  why: "Such a step cannot be played, and a test that leaves it out would pass for the wrong reason.",
  fix: "Write one action in each step, and one ending of a call.",
  message: ({ problem }) => problem,
  help: ({ help }) => help,
  check({ files }, report) {
    for (const { draft } of files.scenarios) {
      const { now } = draft.given ?? {};
      let clock = (now === undefined ? null : momentOfText(now)) ?? 0;
      for (const entry of draft.steps ?? []) {
        if (isDamaged(entry)) continue;
        const actions = actionsOf(entry);
        const [action] = actions;
        if (action === undefined || actions.length > 1) {
          const problem =
            action === undefined ? "the step does nothing" : `the step does several things: ${actions.join(", ")}`;
          report(spanOf(entry), { problem, help: `write exactly one of ${ACTIONS.join(", ")}` });
          continue;
        }
        for (const key of idleKeysOf(entry, action)) {
          const problem = `\`${key}\` has no effect beside \`${action}\``;
          report(keySpan(entry, key), { problem, help: "remove it, or put it into the step that it belongs to" });
        }
        if (action === "call" && entry.output !== undefined && entry.error !== undefined) {
          report(spanOf(entry), {
            problem: "the call ends with an output and with an error",
            help: "keep one of them",
          });
        }
        if (entry.settle !== undefined && endingsOf(entry.settle).length !== 1) {
          const problem = "the settlement does not say what became of the call, or says several things";
          report(valueSpan(entry, "settle"), { problem, help: "write exactly one of as, output and error" });
        }
        if (entry.advance_clock !== undefined) {
          const passed = durationOf(entry.advance_clock);
          clock += passed ?? 0;
          const problem =
            passed === null
              ? `\`${entry.advance_clock}\` is no duration`
              : clock > LATEST
                ? `the clock is beyond the year 9999 after \`${entry.advance_clock}\``
                : null;
          const help = passed === null ? "write hours, minutes and seconds, such as 1h30m" : "let less time pass";
          if (problem !== null) report(valueSpan(entry, "advance_clock"), { problem, help });
        }
      }
    }
  },
});
