import { cut } from "../base/wording.js";
import { defineOperator, NO_SAMPLES, type Verb, written } from "./operator.js";
import { pattern } from "./pattern.js";
import { quickTest } from "./quick-test.js";
import { ofTypes } from "./value-set.js";

const MATCH: Verb = { duty: "match", fact: "matches", feature: "matching" };

/** A pattern in backticks; one that contains a backtick stays as it is. */
function patternWords(source: string): string {
  return `the pattern ${source.includes("`") ? source : `\`${source}\``}`;
}

/** A string that a pattern matches somewhere. */
export const regex = defineOperator({
  op: "regex",
  fields: { pattern },
  written: written({
    since: "1.0",
    schema: {
      type: "string",
      description: "Pattern the string must match somewhere; anchor it with ^ and $",
      format: "linear-regex",
    },
    families: { full: { at: 6 }, value: { at: 3 } },
    lower: (source, readPattern) => ({ op: "regex", pattern: readPattern(source) }),
  }),
  judge(own, engine) {
    // Created for the first text: an artifact that was only read may contain a pattern that no engine accepts.
    let matches: ((text: string) => boolean) | undefined;
    return (value) => {
      if (typeof value !== "string") return null;
      matches ??= engine.matcherOf(own.pattern);
      return matches(value);
    };
  },
  absent: () => null,
  quick: (own, engine) => quickTest("match", { match: engine.matcherOf(own.pattern) }),
  operand: (own) => own.pattern.source,
  variable: () => null,
  shows: "value",
  words: {
    required: (own) => `matching ${cut(own.pattern.source)}`,
    verb: MATCH,
    sentence: (own) => patternWords(own.pattern.source),
  },
  domain: (own) => ({
    accepts: { ...ofTypes(["string"]), patterns: [own.pattern.source] },
    judges: ["string"],
  }),
  samples: (own) => ({ ...NO_SAMPLES, patterns: [own.pattern] }),
  opposite: () => null,
  named: () => null,
  weaker: () => [],
  narrower: () => [],
});
