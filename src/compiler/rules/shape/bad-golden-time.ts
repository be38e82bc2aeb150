import { momentOfText } from "../../../base/moment.js";
import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { givenSessions } from "../../given-sessions.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly text: string;
}

/** A case is about one moment; a local time would be another one in another place. */
export const badGoldenTime = defineRule<Params>({
  code: "bad_golden_time",
  stage: "resolve",
  severity: "error",
  what: "`given.now` of a golden case or a scenario is no time in RFC 3339 with an offset.",
  why: "Rules compare the time of a call to the millisecond, so that the case must say which moment it is about.",
  fix: "Write date, time and offset, such as `2024-05-15T15:00:00Z`.",
  message: ({ text }) => `${quoted(text)} is no time with an offset`,
  help: () => 'write RFC 3339, such as `"2024-05-15T15:00:00Z"` or `"2024-05-15T15:00:00-05:00"`',
  check(context, report) {
    for (const { given, tool } of givenSessions(context)) {
      const { now } = given;
      if (typeof now !== "string" || momentOfText(now) !== null) continue;
      report(valueSpan(given, "now"), { text: now }, tool);
    }
  },
});
