import * as d from "../base/decoder.js";
import { BE, defineOperator, NO_SAMPLES, written } from "./operator.js";
import { ofTypes } from "./value-set.js";

/** The value of an environment variable. */
export const equalsEnv = defineOperator({
  op: "equals_env",
  fields: { name: d.string },
  written: written({
    since: "1.0",
    schema: { type: "string", description: "Name of the environment variable that holds the value", minLength: 1 },
    families: { full: { at: 11 } },
    lower: (name) => ({ op: "equals_env", name }),
  }),
  judge:
    ({ name }) =>
    (value, env) => {
      const expected = env.get(name);
      return expected === undefined || typeof value !== "string" ? null : value === expected;
    },
  absent: () => null,
  quick: () => null,
  operand: ({ name }) => name,
  variable: ({ name }) => name,
  shows: "value",
  words: {
    required: ({ name }) => `equal to the environment variable ${name}`,
    verb: BE,
    sentence: ({ name }) => `equal to the environment variable ${name}`,
  },
  // With the variable unset nothing can be judged.
  domain: () => ({ accepts: { ...ofTypes(["string"]), isExact: false }, judges: [] }),
  samples: () => NO_SAMPLES,
  opposite: () => null,
  named: () => null,
  weaker: () => [],
  narrower: () => [],
});
