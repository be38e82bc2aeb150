import { defineExpressionRule } from "./expression-rule.js";

/** A time that cannot be read can never be judged. */
export const badTime = defineExpressionRule("bad_time", {
  what: "A literal time, duration or time zone cannot be read.",
  why: "The expression could never be judged, so every call would be refused.",
  fix: "Write times with an offset, durations in h, m, s and ms, and time zones by their IANA names.",
});
