import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const PHASES = ["draft", "review", "approved", "done"];

/** The name of the tool with this number. */
function toolName(index) {
  return `update_record_${index}`;
}

/** A contract as people write them: some 60 lines that use most of the language. */
function toolText(index) {
  const phase = index % (PHASES.length - 1);
  const before =
    index === 0
      ? ""
      : `  - requires_prior_tool: ${toolName(index - 1)}\n    with_output:\n      - path: "$.accepted"\n        equals: true\n`;
  return `# Changes a record of kind ${index}.
tool: ${toolName(index)}
side_effect: write
evidence_class: local_transaction
commit_requirement: acknowledged
timeouts:
  total_ms: 15000
retries:
  max_attempts: 2
  retry_on: ["429", "5xx"]
rate_limits:
  on_429:
    respect_retry_after: true
    max_sleep_seconds: 5
assertions:
  input_invariants:
    - path: "$.record_id"
      type: string
      regex: "^rec_[0-9a-f]{8}$"
  output_invariants:
    - path: "$.accepted"
      type: boolean
golden_cases:
  - id: small_change
    arguments:
      record_id: rec_0000abcd
      amount: 10
      currency: EUR
    given: { phase: ${PHASES[phase]} }
    expect_ok: true
allowed_errors:
  - { status: 409, code: already_changed, outcome: not_executed }
transitions:
  valid_in_phases: [${PHASES[phase]}, ${PHASES[phase + 1]}]
  advances_to: ${PHASES[phase + 1]}
preconditions:
  - requires_step_count: { gte: 1 }
${before}argument_value_invariants:
  - path: "$.amount"
    gte: 0
    lte: ${1000 + index}
  - path: "$.currency"
    one_of: ["EUR", "USD", "GBP"]
policy:
  allow:
    - principal:
        path: "$.department"
        equals: "operations"
binds:
  - name: record
    source: arguments
    path: "$.record_id"
checkpoint:
  when:
    - path: "$.amount"
      gte: 500
  timeout_seconds: 300
`;
}

function sessionText(tools) {
  const limited = tools.filter((_, index) => index % 10 === 0).map((name) => `    ${name}: 5`);
  return `schema_version: "1.0"
agent: generated
phases:
  - name: draft
    initial: true
  - name: review
  - name: approved
  - name: done
    terminal: true
transitions:
  draft: [review]
  review: [approved]
  approved: [done, draft]
session_limits:
  max_steps: ${tools.length + 100}
  max_tool_calls: 500
  max_cost_per_session: 5.00
  max_calls_per_tool:
${limited.join("\n")}
  loop_detection:
    window: 5
    threshold: 3
risk_defaults:
  write: allow
aggregates:
  - name: total_amount
    metric: sum
    tool: [${tools.slice(0, 10).join(", ")}]
    path: "$.amount"
    lte: 100000
    reason: "Changes in one session stay small"
    when:
      - { binding: record, equals: rec_00000000, then_lte: 1000 }
`;
}

/** The files of a pack with so many tools, by name. */
export function packOfTools(count) {
  const tools = Array.from({ length: count }, (_, index) => toolName(index));
  const contracts = tools.map((name, index) => [`${name}.yaml`, toolText(index)]);
  return new Map([...contracts, ["session.yaml", sessionText(tools)]]);
}

/** The files of a pack with so many keys in one mapping of one tool, and the few other tools that make it whole, by name. */
export function packWithKeys(count) {
  const keys = Array.from({ length: count }, (_, index) => `      key_${index}: ${index}\n`);
  const text = toolText(0).replace("    arguments:\n", `    arguments:\n${keys.join("")}`);
  return new Map([...packOfTools(PHASES.length), [`${toolName(0)}.yaml`, text]]);
}

/** Writes the files to a folder of their own, hands it to `use`, and removes it again. */
export function onDisk(files, use) {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  try {
    for (const [name, text] of files) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
