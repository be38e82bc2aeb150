import { REQUIRED } from "./phase-pack.mjs";

const letters = (count) => Array.from({ length: count }, (_, at) => String.fromCharCode(97 + at));

const CONSTRAINTS = [
  { constraint: "lte_ceiling", role: "ceiling" },
  { constraint: "gte_floor", role: "floor" },
  { constraint: "within_band", role: "anchor", band: 0.1 },
];

function contract(name, sideEffect, more) {
  return [
    `${name}.yaml`,
    `tool: ${name}
side_effect: ${sideEffect}
gate: allow
${REQUIRED}assertions:
  input_invariants: []
  output_invariants: []
${more}`,
  ];
}

/** Quotes that each set a reference, and one order that is compared with all of them; a claim for each. */
export function packOfEnvelopes(count) {
  const names = letters(count);
  const amount = (name) => `  - { path: "$.${name}", type: number, gte: 1, lte: 1000 }`;
  const quotes = names.map((name) =>
    contract(`quote_${name}`, "read", `argument_value_invariants:\n${amount(name)}\n`),
  );
  const order = contract("order", "financial", `argument_value_invariants:\n${names.map(amount).join("\n")}\n`);
  const envelopes = names.map((name, at) => {
    const { constraint, role, band } = CONSTRAINTS[at % CONSTRAINTS.length];
    return `  - name: near_${name}
    stages:
      - { tool: quote_${name}, path: "$.${name}", role: ${role} }
      - { tool: order, path: "$.${name}", role: constrained }
    constraint: ${constraint}
${band === undefined ? "" : `    band: ${band}\n`}    reason: "An order keeps to its quote of ${name}"
`;
  });
  const session = `schema_version: "1.0"
agent: orders
session_limits:
  max_steps: 100
  max_tool_calls: 100
  max_cost_per_session: 5.00
envelopes:
${envelopes.join("")}`;
  const claims = `schema_version: "1.0"
claims:
${names.map((name) => `  - never: { tool: order, without_prior: quote_${name} }\n`).join("")}`;
  return new Map([...quotes, order, ["session.yaml", session], ["claims.yaml", claims]]);
}
