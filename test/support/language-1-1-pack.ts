/** A pack with every key that language 1.1 adds. */
export const LANGUAGE_1_1_PACK = `#== session.yaml
schema_version: "1.1"
agent: shop
timezone: Europe/Berlin
constants: { most: 100, fees: { at: 1, sea: 2 } }
slot_limits: { order: 50, paid: 9 }
phases: [{ name: open, initial: true }, { name: done, terminal: true }]
transitions: { open: [done] }
session_limits: { max_calls_per_step: 2 }
tool_defaults:
  evidence_class: local_transaction
  commit_requirement: acknowledged
  timeouts: { total_ms: 1000 }
  retries: { max_attempts: 2, retry_on: ["429"] }
  rate_limits: { on_429: { respect_retry_after: true, max_sleep_seconds: 5 } }
  assertions: { input_invariants: [{ path: $.id, exists: true, reason: An order is named }], output_invariants: [] }
  golden_cases: []
  allowed_errors: [{ code: late, outcome: unknown }]
  transitions: { valid_in_phases: [open], reason: Nothing after the end }
  schema_derived: true
  policy: { allow: [{ principal: { path: $.kind, not_equals: robot }, reason: No robots }] }
  response_format_invariants: { finish_reason: tool_calls }
  checkpoint: { when: [{ that: args.amount > 500 }], timeout_seconds: 60, reason: Large amounts are looked at }
let: { small: args.amount <= constants.most }
requires:
  - { that: '!("tainted" in labels)', reason: Nothing after tainted input, tools: [pay, ship] }
aggregates:
  - { name: budget, metric: sum, tool: pay, path: $.amount, per: $.customer, lte: 1000, reason: A budget for each customer }
checkpoints:
  - { name: odd, tool: ship, when: [{ that: "size(args.note) > 10" }], timeout_seconds: 90, reason: Long notes }
#== look.yaml
tool: look
side_effect: read
binds:
  - { name: order, source: output, path: $, key: $.id }
  - { name: profile, source: output, path: $.text, decode: json }
#== pay.yaml
tool: pay
side_effect: financial
evidence_class: local_transaction
let: { own: "slots.order[args.id]" }
preconditions: [{ requires_prior_tool: look, reason: Look before you pay }]
requires:
  - { that: small || own.vip, reason: Small amounts }
  - { that: has(slots.profile) && now.getHours() < 18, reason: By day }
ensures:
  - { that: output.paid <= args.amount, reason: Never more than asked for }
binds:
  - { name: paid, path: $.id, collect: union }
unbinds:
  - { name: order, key: $.id }
argument_value_invariants: [{ path: $.amount, type: number, reason: A real amount }]
execution_constraints: { arguments: [{ path: $.amount, gt: 0, lt: 9000, reason: Within reason }] }
#== ship.yaml
tool: ship
side_effect: write
transitions: { valid_in_phases: [open], advances_to: done, reason: Not twice }
execution_constraints: { arguments: [{ path: $.by, not_one_of: [balloon], reason: No balloons }] }
requires:
  - { that: "args.id in slots.paid && args.fee == constants.fees[args.by]", reason: Paid first }
#== tools.json
[{ "name": "look", "input_schema": { "type": "object", "properties": { "id": { "type": "string", "maxLength": 9 } }, "required": ["id"] } }]
`;
