import { type Alias, written } from "./operator.js";

/** `argument_value_invariants` say `equals` of a string with this word. */
export const exactMatch = {
  aliasOf: "equals",
  written: written({
    since: "1.0",
    schema: { type: "string", description: "The exact string" },
    families: { value: { at: 1 } },
    lower: (value) => ({ op: "equals", value }),
  }),
} satisfies Alias<unknown>;
