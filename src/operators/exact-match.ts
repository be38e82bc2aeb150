import { type Alias, written } from "./operator.js";

/** The keyword of `argument_value_invariants` for `equals` with a string. */
export const exactMatch = {
  aliasOf: "equals",
  written: written({
    since: "1.0",
    schema: { type: "string", description: "The exact string" },
    families: { value: { at: 1 } },
    lower: (value) => ({ op: "equals", value }),
  }),
} satisfies Alias<unknown>;
