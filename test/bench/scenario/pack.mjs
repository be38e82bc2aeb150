/** The bound of the sum of shares: far above what a run adds up to, so that only the call made for it exceeds it. */
export const MOST_SHARES = 1_000_000_000_000;

/** More shares than the whole session may trade. */
export const TOO_MANY_SHARES = 2 * MOST_SHARES;

const SHARED = `side_effect: write
evidence_class: local_transaction
commit_requirement: acknowledged
timeouts: { total_ms: 15000 }
retries: { max_attempts: 1, retry_on: [] }
rate_limits: { on_429: { respect_retry_after: true, max_sleep_seconds: 5 } }
assertions: { input_invariants: [], output_invariants: [] }
golden_cases: []
allowed_errors: []
`;

function phaseTool(name, from, to) {
  return `tool: ${name}\n${SHARED}transitions: { valid_in_phases: [${from}], advances_to: ${to} }\n`;
}

function orderTool(name) {
  return `tool: ${name}
${SHARED}policy:
  allow:
    - principal: { path: $.department, equals: finance }
transitions: { valid_in_phases: [approved, trading] }
preconditions:
  - requires_prior_tool: approve_risk_check
argument_value_invariants:
  - { path: $.account, type: string }
  - { path: $.symbol, regex: '^[A-Z]{1,5}-[0-9]{3}$' }
  - { path: $.side, one_of: [buy, sell, short] }
  - { path: $.shares, gte: 1 }
  - { path: $.notional, lte: 1000000 }
  - { path: $.order_type, exact_match: limit }
`;
}

const SESSION = `schema_version: "1.0"
agent: bench
phases:
  - { name: research, initial: true }
  - { name: approved }
  - { name: trading, terminal: true }
transitions: { research: [approved], approved: [trading] }
aggregates:
  - name: total_shares
    metric: sum
    tool: submit_live_order
    path: $.shares
    lte: ${MOST_SHARES}
    reason: a session trades a bounded number of shares
`;

/** The order tools of a pack: the one of the scenario, and copies of it under other names. */
export function orderToolNames(tools) {
  return Array.from({ length: tools - 2 }, (_, index) =>
    index === 0 ? "submit_live_order" : `submit_live_order_${index}`,
  );
}

/** The files of the scenario's pack with so many tools in all, by name. */
export function scenarioPack(tools = 3) {
  return new Map([
    ["approve_risk_check.yaml", phaseTool("approve_risk_check", "research", "approved")],
    ["open_market.yaml", phaseTool("open_market", "approved", "trading")],
    ...orderToolNames(tools).map((name) => [`${name}.yaml`, orderTool(name)]),
    ["session.yaml", SESSION],
  ]);
}

const WORKFLOW = `schema_version: "1.0"
workflow: bench
roles:
  - { name: desk, session_contract: packs/desk/session.yaml }
  - { name: trader, session_contract: packs/trader/session.yaml }
handoffs:
  - { from: desk, to: trader }
workflow_limits: { max_total_steps: 1000000000, max_total_cost: 1000000 }
shared_resources:
  - { alias: account, mode: serial_only }
`;

const RESOURCES = `resources:
  account: { type: account, extract_from: { path: $.account } }
`;

/** The same pack as that of both roles of a workflow, which has limits and a resource that every order touches. */
export function workflowPack() {
  const files = [...scenarioPack()].map(([name, text]) => [name, name === "session.yaml" ? text + RESOURCES : text]);
  return new Map([
    ["workflow.yaml", WORKFLOW],
    ...["desk", "trader"].flatMap((role) => files.map(([name, text]) => [`packs/${role}/${name}`, text])),
  ]);
}

const ASKING = `tool: pay_out
${SHARED}checkpoint:
  when:
    - { path: $.amount, gte: 1 }
  timeout_seconds: 60
  context:
    - { label: Amount, path: $.amount }
`;

/** The files of a pack whose only tool asks for an approval before each call. */
export function askingPack() {
  return new Map([
    ["pay_out.yaml", ASKING],
    ["session.yaml", 'schema_version: "1.0"\nagent: bench\n'],
  ]);
}
