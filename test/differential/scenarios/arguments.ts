import { call, pack, type Scenario, tool } from "../scenario.js";

const SCHEMA = {
  type: "object",
  properties: { n: { type: "number", maximum: 5 }, s: { type: "string", pattern: "^a" } },
  required: ["n"],
};

const DEFINED = [{ name: "a", input_schema: SCHEMA }];

/** The sentences about this, each as a scenario. */
export const ARGUMENTS: readonly Scenario[] = [
  {
    sentence: "checks the schema but for derivable keywords, which fail by themselves",
    pack: pack([tool("a")], undefined, DEFINED),
    steps: [
      [call("a", {}), "schema_mismatch"],
      [call("a", { n: "1" }), "schema_mismatch"],
      [call("a", { n: 6 }), "schema_derived_failed"],
      [call("a", { n: 1, s: "b" }), "schema_derived_failed"],
      [call("a", { n: 1 }), "allow"],
    ],
  },
  {
    sentence: "lets a manual invariant replace derived ones on the same path",
    pack: pack([tool("a", { argument_value_invariants: [{ path: "$['n']", lte: 9 }] })], undefined, DEFINED),
    steps: [
      [call("a", { n: 9 }), "allow"],
      [call("a", { n: 10 }), "argument_invariant_failed"],
      [call("a", { n: 1, s: "b" }), "schema_derived_failed"],
    ],
  },
  {
    sentence: "switches derived invariants off by path, by tool and by session, the tool outranking the session",
    pack: pack(
      [tool("a", { schema_derived: true, schema_derived_exclude: ["$.n"] })],
      { schema_derived: false },
      DEFINED,
    ),
    steps: [
      [call("a", { n: 6 }), "allow"],
      [call("a", { n: 1, s: "b" }), "schema_derived_failed"],
    ],
  },
  {
    sentence: "fails a missing path for every operator but exists: false",
    pack: pack([
      tool("a", { assertions: { input_invariants: [{ path: "$.x", exists: false }], output_invariants: [] } }),
      tool("b", { assertions: { input_invariants: [{ path: "$.x", lte: 1 }], output_invariants: [] } }),
    ]),
    steps: [
      [call("a"), "allow"],
      [call("b"), "input_invariant_failed"],
    ],
  },
  {
    sentence: "wants every value that a path matches to satisfy the operator",
    pack: pack([tool("a", { execution_constraints: { arguments: [{ path: "$..n", lte: 2 }] } })]),
    steps: [
      [call("a", { n: 1, deep: [{ n: 2 }] }), "allow"],
      [call("a", { n: 1, deep: [{ n: 3 }] }), "execution_constraint_failed"],
      [call("a", {}), "execution_constraint_failed"],
    ],
  },
  {
    sentence: "reads own properties only",
    pack: pack([
      tool("a", {
        assertions: { input_invariants: [{ path: "$.constructor", exists: false }], output_invariants: [] },
      }),
    ]),
    steps: [
      [call("a", {}), "allow"],
      [call("a", { constructor: 1 }), "input_invariant_failed"],
    ],
  },
  {
    sentence: "blocks equals_env with the variable unset",
    pack: pack([
      tool("a", { execution_constraints: { arguments: [{ path: "$.r", equals_env: "REGION" }] } }),
      tool("b", { execution_constraints: { arguments: [{ path: "$.r", equals_env: "UNSET" }] } }),
    ]),
    steps: [
      [call("a", { r: "EU" }), "allow"],
      [call("b", { r: "" }), "execution_constraint_failed"],
    ],
  },
  {
    sentence: "counts the length of strings in code points",
    pack: pack([tool("a", { execution_constraints: { arguments: [{ path: "$.s", length_lte: 1 }] } })]),
    steps: [
      [call("a", { s: "😀" }), "allow"],
      [call("a", { s: "ab" }), "execution_constraint_failed"],
    ],
  },
];
