/** A pack that says a little of everything, for tests that change one thing in it. */
export const GATE_PACK = `#== session.yaml (with the required fields)
agent: shop
phases:
  - { name: open, initial: true }
  - { name: paid }
  - { name: done, terminal: true }
transitions: { open: [paid, done], paid: [done] }
session_limits:
  max_steps: 20
  max_tool_calls: 30
  max_tool_calls_mode: narrow
  max_cost_per_session: 2
  max_calls_per_tool: { pay: 2 }
  loop_detection: { window: 6, threshold: 4 }
  circuit_breaker: { consecutive_blocks: 4, consecutive_errors: 6 }
risk_defaults: { read: allow, write: allow, financial: allow, admin: block, destructive: block }
policy:
  default_deny: false
  rules:
    - deny: { principal: { path: "$.type", one_of: [robot, script] }, tools: [pay, close] }
    - deny: { principal: { path: "$.age", lte: 17 }, tools: [pay] }
    - allow: { principal: { path: "$.team", one_of: [sales, support] }, tools: [close] }
  label_gates:
    - { when_label: secret, deny_tools: [pay, send], reason: "Nothing leaves while secrets are about" }
provider_constraints:
  anthropic: { block_incompatible: ["tool_choice.type=any + thinking"] }
  openai: { warn_incompatible: ["parallel_tool_calls=false + gpt-4o-mini"], warn_floating_alias: true }
resources:
  order: { type: order, extract_from: { path: "$.order" } }
aggregates:
  - { name: total, metric: sum, tool: pay, path: "$.amount", lte: 1000, reason: "At most 1000" }
  - { name: sends, metric: count, tool: [send, close], lte: 3, reason: "At most 3" }
  - { name: smallest, metric: min, tool: pay, path: "$.amount", gte: 1, reason: "At least 1" }
  - name: items
    metric: count_distinct
    tool: [look, pay]
    path: "$.item"
    lte: 2
    reason: "At most two items"
    when:
      - { binding: price, gte: 100, then_lte: 1 }
envelopes:
  - name: quote
    stages:
      - { tool: look, source: output, path: "$.price", role: ceiling }
      - { tool: pay, path: "$.amount", role: constrained }
    constraint: lte_ceiling
    reason: "No more than was quoted"
  - name: near
    stages:
      - { tool: look, source: output, path: "$.price", role: anchor }
      - { tool: send, path: "$.price", role: constrained }
    constraint: within_band
    band: 0.05
    reason: "Near the quote"
checkpoints:
  - { name: large, tool: send, when: [{ path: "$.price", gte: 900 }, { path: "$.to", one_of: [abroad] }], match: any, timeout_seconds: 90, on_timeout: deny }
#== look.yaml (with the required fields)
retries: { max_attempts: 2, retry_on: ["503", timeout] }
assertions:
  input_invariants:
    - { path: "$.item", type: string, length_gte: 2 }
  output_invariants:
    - { path: "$.price", type: number, gte: 1 }
binds:
  - { name: item, source: arguments, path: "$.item" }
  - { name: price, source: output, path: "$.price" }
#== pay.yaml (with the required fields)
side_effect: financial
timeouts: { total_ms: 9000 }
transitions: { valid_in_phases: [open, paid], advances_to: paid }
preconditions:
  - requires_prior_tool: look
    resource: { bind_from: arguments, path: "$.item" }
    with_output:
      - { path: "$.stock", gte: 1 }
  - requires_step_count: { gte: 1 }
argument_value_invariants:
  - { path: "$.item", ref: item }
  - { path: "$.amount", ref: price, tolerance: 0.02 }
  - { path: "$.amount", type: number, gte: 1, lte: 600 }
  - { path: "$.currency", one_of: [EUR, USD] }
  - { path: "$.code", regex: "^(AB|CD|EF)-[0-9a-f]{4}$" }
execution_constraints:
  arguments:
    - { path: "$.mode", equals: safe }
    - { path: "$.rows", length_lte: 3 }
    - { path: "$.tags", contains: checked }
    - { path: "$.region", equals_env: REGION }
allowed_errors:
  - { status: 409, code: twice, outcome: not_executed, reason: "Paid before" }
  - { code: late, outcome: unknown, reason: "Settles overnight" }
response_format_invariants: { finish_reason: tool_calls, content_when_tool_calls: empty, tool_calls_present: true }
policy:
  allow:
    - principal: { path: "$.department", equals: finance }
checkpoint:
  when:
    - { path: "$.amount", gte: 500 }
  timeout_seconds: 60
  on_timeout: deny
  context:
    - { path: "$.amount", label: "Amount" }
    - { path: "$.item", label: "Item" }
#== send.yaml (with the required fields)
side_effect: write
assertions:
  input_invariants:
    - { path: "$.to", exists: true }
    - { path: "$.lines[*].count", type: integer, gte: 1 }
  output_invariants: []
#== close.yaml (with the required fields)
side_effect: write
transitions: { valid_in_phases: [paid], advances_to: done }
forbids_after: [look, send]
#== wipe.yaml (with the required fields)
side_effect: admin
gate: block
#== sweep.yaml (with the required fields)
side_effect: destructive
#== tools.json
{ "tools": [
  { "name": "look", "description": "Looks.", "input_schema": { "type": "object", "properties": { "item": { "type": "string", "maxLength": 20 } }, "required": ["item"], "additionalProperties": false } },
  { "name": "pay", "description": "Pays.", "input_schema": { "type": "object", "properties": {
      "item": { "type": "string" }, "amount": { "type": "number" }, "currency": { "type": "string" }, "code": { "type": "string" },
      "mode": { "type": "string" }, "rows": { "type": "array", "items": { "type": "object", "properties": { "id": { "type": "integer" } }, "required": ["id"], "additionalProperties": false } },
      "tags": { "type": "array", "items": { "type": "string" }, "contains": { "const": "checked" }, "maxContains": 2, "maxItems": 5, "uniqueItems": true },
      "region": { "type": "string" }, "note": { "type": "string", "maxLength": 40, "pattern": "^[a-z ]*$" } },
      "required": ["item", "amount"] } },
  { "name": "send", "description": "Sends.", "input_schema": { "type": "object", "properties": {
      "to": { "anyOf": [{ "type": "string" }, { "type": "integer" }] }, "price": { "type": "number", "minimum": 0, "exclusiveMaximum": 5000, "multipleOf": 0.01 },
      "lines": { "type": "array", "minItems": 1, "items": { "type": "object", "properties": { "count": { "type": "integer", "maximum": 9 } }, "required": ["count"] } },
      "kind": { "type": "string", "enum": ["a", "b"] } },
      "not": { "required": ["forbidden"] }, "dependentRequired": { "kind": ["when"] }, "minProperties": 1,
      "required": ["to", "price", "lines"] } },
  { "name": "close", "input_schema": { "type": "object" } },
  { "name": "wipe", "input_schema": { "type": "object" } },
  { "name": "sweep", "input_schema": { "type": "object" } }
] }
`;
