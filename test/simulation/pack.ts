import type { Artifact } from "../../src/artifact/compiled.js";
import { artifactOf } from "../support/guard-artifact.js";

/** The bounds of the pack, for those who check them without the guard. */
export const BOUNDS = {
  paid: 420,
  payments: 16,
  payees: 4,
  largest: 60,
  toolCalls: 60,
  wires: 3,
  cost: 12,
  steps: 90,
} as const;

/** The label that gates `wire`. */
export const GATING_LABEL = "hot";

/** From this amount on `pay` needs an approval. */
export const APPROVED_FROM = 45;

export const ITEMS = ["apple", "pear"] as const;

const PACK = `
#== session.yaml (with the required fields)
phases: [{ name: open, initial: true }, { name: review }, { name: done, terminal: true }]
transitions: { open: [review], review: [open, done] }
session_limits:
  max_steps: ${BOUNDS.steps}
  max_tool_calls: ${BOUNDS.toolCalls}
  max_cost_per_session: ${BOUNDS.cost}
  max_calls_per_tool: { wire: ${BOUNDS.wires} }
  loop_detection: { window: 6, threshold: 3 }
  circuit_breaker: { consecutive_blocks: 14, consecutive_errors: 9 }
aggregates:
  - { name: paid, metric: sum, tool: [pay, wire], path: $.amount, lte: ${BOUNDS.paid}, reason: Money is limited }
  - name: payments
    metric: count
    tool: pay
    lte: ${BOUNDS.payments - 2}
    reason: Payments are limited
    when: [{ binding: quoted_price, gte: 20, then_lte: ${BOUNDS.payments} }]
  - { name: payees, metric: count_distinct, tool: pay, path: $.to, lte: ${BOUNDS.payees}, reason: Few payees }
  - { name: largest, metric: max, tool: [pay, wire], path: $.amount, lte: ${BOUNDS.largest}, reason: Small amounts }
envelopes:
  - name: price
    stages:
      - { tool: quote, path: $.price, source: output, role: ceiling }
      - { tool: order, path: $.price, role: constrained }
    constraint: lte_ceiling
    reason: No order above the quote
policy: { label_gates: [{ when_label: ${GATING_LABEL}, deny_tools: [wire], reason: Hot }] }
provider_constraints: { openai: { block_incompatible: ["stream + seed"], warn_floating_alias: true } }
#== pay.yaml (with the required fields)
side_effect: financial
timeouts: { total_ms: 1500 }
retries: { max_attempts: 2, retry_on: ["429", "503"] }
assertions: { input_invariants: [], output_invariants: [{ path: $.ok, equals: true }] }
allowed_errors: [{ code: declined, outcome: not_executed }, { code: odd, outcome: unknown }]
checkpoint: { when: [{ path: $.amount, gte: ${APPROVED_FROM} }], timeout_seconds: 40, context: [{ path: $.to, label: To }] }
response_format_invariants: { content_when_tool_calls: empty }
#== wire.yaml (with the required fields)
side_effect: financial
timeouts: { total_ms: 3000 }
retries: { max_attempts: 3, retry_on: ["5xx", timeout, network] }
checkpoint: { when: always, timeout_seconds: 30, on_timeout: allow }
#== quote.yaml (with the required fields)
timeouts: { total_ms: 800 }
binds:
  - { name: quoted_item, path: $.item }
  - { name: quoted_price, source: output, path: $.price }
#== order.yaml (with the required fields)
side_effect: write
transitions: { valid_in_phases: [review] }
preconditions:
  - requires_prior_tool: quote
    resource: { bind_from: arguments, path: $.item }
    with_output: [{ path: $.ok, equals: true }]
argument_value_invariants: [{ path: $.item, ref: quoted_item }]
#== lookup.yaml (with the required fields)
timeouts: { total_ms: 600 }
retries: { max_attempts: 3, retry_on: ["429", "5xx", timeout, network] }
#== notify.yaml (with the required fields)
side_effect: write
commit_requirement: none
#== beacon.yaml (with the required fields)
side_effect: destructive
evidence_class: unverifiable
commit_requirement: none
forbids_after: [reopen]
#== review.yaml (with the required fields)
side_effect: write
transitions: { valid_in_phases: [open, review], advances_to: review }
#== reopen.yaml (with the required fields)
side_effect: write
transitions: { valid_in_phases: [review], advances_to: open }
#== close.yaml (with the required fields)
side_effect: admin
transitions: { valid_in_phases: [review, done], advances_to: done }
#== tools.json
[{ "name": "pay", "input_schema": { "type": "object", "properties": {
  "amount": { "type": "number", "minimum": 1 }, "to": { "type": "string" }, "ref": { "type": "string" } },
  "required": ["amount", "to"], "additionalProperties": false } }]
`;

/** The pack of every simulated session. */
export function simulatedArtifact(): Artifact {
  return artifactOf(PACK);
}

/** Tools whose calls count as soon as they are sent. */
export const AT_DISPATCH: ReadonlySet<string> = new Set(["notify", "beacon"]);

/** Tools that change nothing: their effects are not counted. */
export const READS: ReadonlySet<string> = new Set(["quote", "lookup"]);
