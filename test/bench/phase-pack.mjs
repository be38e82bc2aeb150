/** The rest of every contract: what is required, but not what is explored. */
export const REQUIRED = `evidence_class: local_transaction
commit_requirement: acknowledged
timeouts:
  total_ms: 15000
retries:
  max_attempts: 1
  retry_on: []
rate_limits:
  on_429:
    respect_retry_after: true
    max_sleep_seconds: 5
golden_cases: []
allowed_errors: []
`;

const two = (number) => String(number).padStart(2, "0");
const phaseName = (number) => `stage_${two(number)}`;

function contract(name, sideEffect, { input = "[]", output = "[]", more }) {
  return [
    `${name}.yaml`,
    `tool: ${name}
side_effect: ${sideEffect}
${REQUIRED}assertions:
  input_invariants: ${input}
  output_invariants: ${output}
${more}`,
  ];
}

const RECORD = '[{ path: "$.record_id", type: string, regex: "^rec_[0-9a-f]{4}$" }]';

/** The tools of one phase: look up, check, decide, go on, give up, and small changes that depend on them. */
function toolsOf(stage, isLast, changes) {
  const at = two(stage);
  const here = phaseName(stage);
  const valid = `transitions:\n  valid_in_phases: [${here}]\n`;
  const goOn = (next) => `transitions:\n  valid_in_phases: [${here}]\n  advances_to: ${next}\n`;
  const checked = `preconditions:
  - requires_prior_tool: check_${at}
    resource: { bind_from: arguments, path: "$.record_id" }
    with_output:
      - { path: "$.approved", equals: true }
`;
  const same = `argument_value_invariants:\n  - { path: "$.record_id", ref: record_${at} }\n`;
  const change = (number) =>
    contract(`change_${at}_${number}`, number % 2 === 0 ? "write" : "financial", {
      input: RECORD,
      more: `gate: allow
${valid}${number % 3 === 0 ? checked : `preconditions:\n  - requires_prior_tool: look_up_${at}\n`}${same}  - { path: "$.amount", gte: 0, lte: ${100 + stage + number} }
  - { path: "$.currency", one_of: ["EUR", "USD", "GBP"] }
checkpoint:
  when:
    - { path: "$.amount", gte: ${50 + stage} }
  timeout_seconds: 300
`,
    });
  return [
    contract(`look_up_${at}`, "read", {
      input: RECORD,
      output: '[{ path: "$.found", equals: true }]',
      more: `${valid}binds:\n  - { name: record_${at}, source: arguments, path: "$.record_id" }\n`,
    }),
    contract(`check_${at}`, "write", {
      output: '[{ path: "$.approved", type: boolean }]',
      more: `${valid}preconditions:\n  - requires_prior_tool: look_up_${at}\n${same}`,
    }),
    contract(`finish_${at}`, "write", {
      more: `${goOn(isLast ? "closed" : phaseName(stage + 1))}${checked}${same}`,
    }),
    contract(`give_up_${at}`, "destructive", {
      more: `${goOn("closed")}argument_value_invariants:\n  - { path: "$.reason", one_of: ["duplicate", "withdrawn"] }\npolicy:\n  deny:\n    - principal: { path: "$.role", equals: trainee }\n`,
    }),
    ...Array.from({ length: changes }, (_, number) => change(number)),
  ];
}

function sessionText(stages, tools) {
  const names = Array.from({ length: stages }, (_, stage) => phaseName(stage));
  const ways = names.map(
    (name, stage) => `  ${name}: [${stage + 1 < stages ? `${phaseName(stage + 1)}, ` : ""}closed]`,
  );
  const changes = tools.filter((name) => name.startsWith("change_"));
  const givenUp = tools.filter((name) => name.startsWith("give_up_"));
  return `schema_version: "1.0"
agent: case-work
phases:
${names.map((name, stage) => `  - { name: ${name}${stage === 0 ? ", initial: true" : ""} }`).join("\n")}
  - { name: closed, terminal: true }
transitions:
${ways.join("\n")}
session_limits:
  max_steps: 200
  max_tool_calls: 300
  max_cost_per_session: 5.00
  max_calls_per_tool:
${changes
  .filter((_, at) => at % 5 === 0)
  .map((name) => `    ${name}: 3`)
  .join("\n")}
policy:
  label_gates:
    - when_label: external_data
      deny_tools: [${givenUp.join(", ")}]
      reason: "Nothing is given up on the word of strangers"
aggregates:
  - name: changed
    metric: sum
    tool: [${changes.join(", ")}]
    path: "$.amount"
    lte: 500
    reason: "One session changes little"
`;
}

/** A pack of so many stages with so many tools each, in which every stage has to be passed to reach the next, by name. */
export function packOfPhases(stages, toolsPerStage) {
  const contracts = Array.from({ length: stages }, (_, stage) =>
    toolsOf(stage, stage + 1 === stages, toolsPerStage - 4),
  ).flat();
  const tools = contracts.map(([file]) => file.replace(".yaml", ""));
  return new Map([...contracts, ["session.yaml", sessionText(stages, tools)]]);
}
