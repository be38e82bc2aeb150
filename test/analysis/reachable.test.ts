import { describe, expect, it } from "vitest";
import { explored } from "./explored.js";

describe("values that have to be repeated", () => {
  it("meet the condition of a checkpoint, also where they pass through another call", () => {
    const found = explored(`#== quote.yaml (with the required fields)
binds: [{ name: asked, path: "$.n", source: output }]
#== order.yaml (with the required fields)
binds: [{ name: ordered, path: "$.n", source: arguments }]
argument_value_invariants: [{ path: "$.n", ref: asked }]
checkpoint: { when: [{ path: "$.n", equals: 2 }], timeout_seconds: 60 }
#== pay.yaml (with the required fields)
argument_value_invariants: [{ path: "$.n", ref: ordered }]
checkpoint: { when: [{ path: "$.n", equals: 2 }], timeout_seconds: 60 }
#== check.yaml (with the required fields)
argument_value_invariants: [{ path: "$.n", ref: asked }]
checkpoint: { when: [{ path: "$.n", gte: 7 }], timeout_seconds: 60 }
`);
    expect(found.seen("checkpoint")).toBe("3 of 3");
  });

  it("meet the condition of a checkpoint near an anchor", () => {
    const found = explored(`#== session.yaml (with the required fields)
envelopes:
  - name: near
    constraint: within_band
    band: 0.1
    reason: near
    stages:
      - { tool: quote, path: "$.n", role: anchor, source: output }
      - { tool: pay, path: "$.n", role: constrained }
#== quote.yaml (with the required fields)
#== pay.yaml (with the required fields)
argument_value_invariants: [{ path: "$.n", lte: 20 }]
checkpoint: { when: [{ path: "$.n", gte: 15 }], timeout_seconds: 60 }
`);
    expect(found.seen("checkpoint")).toBe("1 of 1");
  });

  it("meet the condition of a checkpoint between a floor and a ceiling that are one", () => {
    const found = explored(`#== session.yaml (with the required fields)
envelopes:
  - name: exact
    constraint: bounded
    reason: other
    stages:
      - { tool: quote, path: "$.n", role: floor, source: output }
      - { tool: quote, path: "$.n", role: ceiling, source: output }
      - { tool: pay, path: "$.n", role: constrained }
#== quote.yaml (with the required fields)
#== pay.yaml (with the required fields)
checkpoint: { when: [{ path: "$.n", equals: 3 }], timeout_seconds: 60 }
`);
    expect(found.seen("checkpoint")).toBe("1 of 1");
  });

  it("are not taken for those that a rule between refuses", () => {
    const found = explored(`#== look.yaml (with the required fields)
binds: [{ name: last, path: "$.n", source: arguments }]
argument_value_invariants: [{ path: "$.n", gte: 2 }]
#== quote.yaml (with the required fields)
binds: [{ name: asked, path: "$.n", source: arguments }]
argument_value_invariants: [{ path: "$.n", one_of: [1, 3] }]
checkpoint: { when: [{ path: "$.n", lte: 1 }], timeout_seconds: 60 }
#== check.yaml (with the required fields)
binds: [{ name: last, path: "$.n", source: output }]
argument_value_invariants:
  - { path: "$.n", lte: 1 }
  - { path: "$.n", ref: asked }
#== pay.yaml (with the required fields)
argument_value_invariants:
  - { path: "$.n", one_of: [1, 3] }
  - { path: "$.n", ref: last }
`);
    expect(found.reasons("pay")).toContain("pending_conflict");
  });

  it("are not taken for those that a sum between has no room for", () => {
    const found = explored(`#== session.yaml (with the required fields)
aggregates: [{ name: all, metric: sum, tool: close, path: "$.n", lte: 2, reason: enough }]
#== quote.yaml (with the required fields)
binds: [{ name: asked, path: "$.n", source: arguments }]
#== close.yaml (with the required fields)
forbids_after: [quote]
argument_value_invariants: [{ path: "$.n", ref: asked }]
`);
    expect(found.reasons("quote")).toContain("forbidden_after");
  });

  it("exceed a sum together with the call that said them first", () => {
    const found = explored(`#== session.yaml (with the required fields)
session_limits: { max_tool_calls: 2 }
aggregates: [{ name: all, metric: sum, tool: [quote, pay], path: "$.n", lte: 2, reason: enough }]
#== quote.yaml (with the required fields)
binds: [{ name: asked, path: "$.n", source: arguments }]
argument_value_invariants: [{ path: "$.n", gte: 1, lte: 100 }]
#== pay.yaml (with the required fields)
argument_value_invariants: [{ path: "$.n", ref: asked }]
`);
    expect(found.reasons("pay")).toContain("aggregate_exceeded");
  });

  it("lie out of the bounds of a sum that one call reaches", () => {
    const found = explored(`#== session.yaml (with the required fields)
session_limits: { max_tool_calls: 2 }
aggregates: [{ name: paid, metric: sum, tool: pay, path: "$.n", lte: 20, reason: enough }]
#== quote.yaml (with the required fields)
binds: [{ name: asked, path: "$.n", source: output }]
#== pay.yaml (with the required fields)
argument_value_invariants: [{ path: "$.n", ref: asked, tolerance: 0.5 }]
`);
    expect(found.reasons("pay")).toContain("aggregate_exceeded");
  });

  it("name an entity that a rule of the arguments refuses and the earlier call accepts", () => {
    const found = explored(`#== check.yaml (with the required fields)
argument_value_invariants: [{ path: "$.id", regex: "^[ab]$" }]
#== pay.yaml (with the required fields)
preconditions: [{ requires_prior_tool: check, resource: { bind_from: arguments, path: "$.id" } }]
argument_value_invariants: [{ path: "$.id", exact_match: b }]
`);
    expect(found.reasons("pay")).toContain("argument_invariant_failed");
  });

  it("name such an entity by a value that can stand where it is first named", () => {
    const found = explored(`#== check.yaml (with the required fields)
argument_value_invariants: [{ path: "$.id", type: string }]
binds: [{ name: known, path: "$.id", source: arguments }]
#== pay.yaml (with the required fields)
preconditions: [{ requires_prior_tool: check, resource: { bind_from: arguments, path: "$.id" } }]
assertions:
  input_invariants: [{ path: "$.id", equals: a }]
  output_invariants: []
argument_value_invariants:
  - { path: "$.n", type: number }
  - { path: "$.n", ref: known }
binds: [{ name: known, path: "$.n", source: output }]
`);
    expect(found.reasons("pay")).toContain("input_invariant_failed");
  });

  it("name such an entity by a value that only the one rule refuses", () => {
    const found = explored(`#== check.yaml (with the required fields)
#== pay.yaml (with the required fields)
preconditions: [{ requires_prior_tool: check, resource: { bind_from: arguments, path: "$.id" } }]
assertions:
  input_invariants: [{ path: "$.id", type: string, length_gte: 1 }]
  output_invariants: []
argument_value_invariants: [{ path: "$.id", exact_match: b }]
`);
    expect(found.reasons("pay")).toContain("argument_invariant_failed");
    expect(found.reasons("pay")).toContain("input_invariant_failed");
  });

  it("differ by more than a tolerance of what was said before", () => {
    const found = explored(`#== quote.yaml (with the required fields)
binds: [{ name: asked, path: "$.n", source: output }]
#== pay.yaml (with the required fields)
argument_value_invariants:
  - { path: "$.n", one_of: [2, 3] }
  - { path: "$.n", ref: asked, tolerance: 1 }
`);
    expect(found.reasons("pay")).toContain("ref_mismatch");
  });
});

describe("values that few texts or numbers are left for", () => {
  it("name an entity that matches one pattern and lacks what another rule asks for", () => {
    const found = explored(`#== check.yaml (with the required fields)
assertions: { input_invariants: [{ path: "$.id", regex: "^[ab]$" }], output_invariants: [] }
#== pay.yaml (with the required fields)
preconditions: [{ requires_prior_tool: check, resource: { bind_from: arguments, path: "$.id" } }]
argument_value_invariants: [{ path: "$.id", type: string }]
assertions: { input_invariants: [{ path: "$.id", contains: b }], output_invariants: [] }
`);
    expect(found.reasons("pay")).toContain("input_invariant_failed");
  });

  it("name an entity that one pattern of a tool matches and another does not", () => {
    const found = explored(`#== check.yaml (with the required fields)
#== pay.yaml (with the required fields)
preconditions: [{ requires_prior_tool: check, resource: { bind_from: arguments, path: "$.id" } }]
execution_constraints: { arguments: [{ path: "$.id", regex: a }] }
assertions: { input_invariants: [{ path: "$.id", regex: "^[ab]$" }], output_invariants: [] }
`);
    expect(found.reasons("pay")).toContain("execution_constraint_failed");
  });

  it("are all there in what holds them, though it may be left out as a whole", () => {
    const found = explored(`#== session.yaml (with the required fields)
aggregates: [{ name: items, metric: count_distinct, tool: pay, path: "$.box.items[*].n", gte: 1, lte: 2, reason: few }]
#== pay.yaml (with the required fields)
#== tools.json
[{ "name": "pay", "input_schema": { "type": "object", "properties": { "box": { "type": "object", "required": ["n"],
   "properties": { "n": { "type": "number", "minimum": 2 }, "id": { "type": "string" }, "items": { "type": "array" } } } } } }]
`);
    expect(found.isAllowed("pay")).toBe(true);
  });

  it("name an entity of the right type that a list leaves out", () => {
    const found = explored(`#== check.yaml (with the required fields)
binds: [{ name: last, path: "$.id", source: arguments }]
#== pay.yaml (with the required fields)
preconditions: [{ requires_prior_tool: check, resource: { bind_from: arguments, path: "$.id" } }]
argument_value_invariants: [{ path: "$.n", ref: last }]
#== tools.json
[{ "name": "check", "input_schema": { "type": "object" } },
 { "name": "pay", "input_schema": { "type": "object", "required": ["n"], "properties": {
   "n": { "type": "number", "enum": [1, 2] }, "id": { "type": "string", "enum": ["a"] } } } }]
`);
    expect(found.reasons("pay")).toContain("schema_derived_failed");
  });

  it("differ by more than a tolerance though one number alone fits, and a text elsewhere", () => {
    const found = explored(`#== quote.yaml (with the required fields)
binds: [{ name: asked, path: "$.n", source: arguments }]
argument_value_invariants: [{ path: "$.n", one_of: [1, 2, 3] }]
#== pay.yaml (with the required fields)
argument_value_invariants:
  - { path: "$.n", one_of: [2, 3] }
  - { path: "$.n", ref: asked, tolerance: 0.5 }
execution_constraints: { arguments: [{ path: "$.n", lte: 2 }] }
#== note.yaml (with the required fields)
argument_value_invariants:
  - { path: "$.id", type: string }
  - { path: "$.id", ref: asked }
`);
    expect(found.reasons("pay")).toContain("ref_mismatch");
  });
});

describe("earlier calls", () => {
  it("fill the steps of one tool and leave another without its value where their output breaks a rule", () => {
    const found = explored(`#== quote.yaml (with the required fields)
binds: [{ name: asked, path: "$.n", source: arguments }]
assertions: { input_invariants: [], output_invariants: [{ path: "$.ok", equals: true }] }
#== order.yaml (with the required fields)
preconditions: [{ requires_step_count: { gte: 2 } }]
#== pay.yaml (with the required fields)
preconditions: [{ requires_prior_tool: order }]
argument_value_invariants: [{ path: "$.n", ref: asked }]
`);
    expect(found.reasons("pay")).toContain("ref_unset");
  });

  it("leave a reference unset where their output breaks a rule", () => {
    const found = explored(`#== session.yaml (with the required fields)
envelopes:
  - name: falling
    constraint: monotonic_decrease
    reason: higher
    stages:
      - { tool: quote, path: "$.n", role: initial }
      - { tool: pay, path: "$.n", role: constrained }
#== quote.yaml (with the required fields)
assertions: { input_invariants: [], output_invariants: [{ path: "$.ok", equals: true }] }
#== pay.yaml (with the required fields)
preconditions: [{ requires_step_count: { gte: 1 } }]
`);
    expect(found.reasons("pay")).toContain("envelope_unset");
  });

  it("are made for a second entity where they unset what was set for the first", () => {
    const found = explored(`#== session.yaml (with the required fields)
envelopes:
  - name: rising
    constraint: gte_floor
    reason: low
    stages:
      - { tool: check, path: "$.n", role: floor, source: output }
      - { tool: pay, path: "$.n", role: constrained }
#== check.yaml (with the required fields)
#== pay.yaml (with the required fields)
preconditions:
  - requires_prior_tool: check
    with_output: [{ path: "$.n", gte: 1 }]
    resource: { bind_from: arguments, path: "$.id" }
`);
    expect(found.reasons("pay")).toContain("envelope_unset");
  });

  it("are made for no entity where there is only one", () => {
    const found = explored(`#== tools.json
[{ "name": "check", "input_schema": { "type": "object", "properties": { "id": { "type": "string", "enum": ["a"] } } } }]
#== check.yaml (with the required fields)
#== pay.yaml (with the required fields)
preconditions:
  - requires_prior_tool: check
    with_output: [{ path: "$.ok", equals: true }]
    resource: { bind_from: arguments, path: "$.id" }
  - requires_prior_tool: check
    with_output: [{ path: "$.ok", equals: false }]
`);
    expect(found.isAllowed("pay")).toBe(true);
  });

  it("use up what a tool shares with them before its own calls do", () => {
    const found = explored(`#== session.yaml (with the required fields)
session_limits: { max_calls_per_tool: { pay: 1 } }
aggregates: [{ name: all, metric: count, tool: [pay, refund], lte: 1, reason: enough }]
#== pay.yaml (with the required fields)
#== refund.yaml (with the required fields)
`);
    expect(found.reasons("pay")).toContain("aggregate_exceeded");
  });

  it("say other values than the only one that a tool may say itself", () => {
    const found = explored(`#== session.yaml (with the required fields)
aggregates: [{ name: kinds, metric: count_distinct, tool: [note, pay], path: "$.id", lte: 1, reason: one }]
#== note.yaml (with the required fields)
#== pay.yaml (with the required fields)
forbids_after: [pay]
argument_value_invariants: [{ path: "$.id", exact_match: a }]
`);
    expect(found.reasons("pay")).toContain("aggregate_exceeded");
  });

  it("fill the steps without leading on where their output breaks a rule", () => {
    const found = explored(`#== session.yaml (with the required fields)
phases:
  - { name: open, initial: true }
  - { name: done, terminal: true }
transitions: { open: [done] }
#== close.yaml (with the required fields)
transitions: { valid_in_phases: [open, done], advances_to: done }
assertions:
  input_invariants: []
  output_invariants: [{ path: "$.ok", equals: true }]
#== pay.yaml (with the required fields)
transitions: { valid_in_phases: [open] }
preconditions: [{ requires_step_count: { gte: 2 } }]
`);
    expect(found.isAllowed("pay")).toBe(true);
  });

  it("give an output that their own rules accept and the later call does not", () => {
    const found = explored(`#== check.yaml (with the required fields)
assertions:
  input_invariants: []
  output_invariants: [{ path: "$.id", contains: b }]
#== pay.yaml (with the required fields)
preconditions:
  - { requires_step_count: { gte: 2 } }
  - { requires_prior_tool: check, with_output: [{ path: "$.id", regex: a }] }
`);
    expect(found.reasons("pay")).toContain("prior_output_mismatch");
  });

  it("that were committed before they answered give an output that their own rules refuse", () => {
    const found = explored(`#== check.yaml (with the required fields)
commit_requirement: none
assertions:
  input_invariants: []
  output_invariants: [{ path: "$.ok", equals: false }]
#== pay.yaml (with the required fields)
preconditions:
  - { requires_prior_tool: check, with_output: [{ path: "$.ok", equals: false }] }
`);
    expect(found.reasons("pay")).toContain("prior_output_mismatch");
  });

  it("fill the steps that a tool waits for, also those that need others", () => {
    const found = explored(`#== check.yaml (with the required fields)
forbids_after: [check]
#== note.yaml (with the required fields)
preconditions: [{ requires_prior_tool: check }]
forbids_after: [note]
#== pay.yaml (with the required fields)
preconditions: [{ requires_step_count: { gte: 2 } }]
`);
    expect(found.isAllowed("pay")).toBe(true);
  });

  it("fill the steps without being the one that is missing", () => {
    const found = explored(`#== session.yaml (with the required fields)
phases:
  - { name: open, initial: true }
  - { name: done, terminal: true }
transitions: { open: [done] }
#== check.yaml (with the required fields)
#== close.yaml (with the required fields)
transitions: { valid_in_phases: [open], advances_to: done }
#== pay.yaml (with the required fields)
preconditions:
  - { requires_step_count: { gte: 1 } }
  - { requires_prior_tool: check }
`);
    expect(found.reasons("pay")).toContain("prior_tool_missing");
  });
});

describe("calls whose rules are met only later in a session", () => {
  it("ask for an approval once a smaller one was made", () => {
    const found = explored(`#== session.yaml (with the required fields)
aggregates: [{ name: least, metric: min, tool: pay, path: "$.n", lte: 2, reason: small first }]
#== pay.yaml (with the required fields)
checkpoint: { when: [{ path: "$.n", equals: 3 }], timeout_seconds: 60 }
`);
    expect(found.seen("checkpoint")).toBe("1 of 1");
  });

  it("break a rule of their output where they were first seen allowed beside an open call", () => {
    const found = explored(`#== session.yaml (with the required fields)
envelopes:
  - name: rising
    constraint: monotonic_increase
    reason: lower
    stages:
      - { tool: quote, path: "$.n", role: initial, source: output }
      - { tool: start, path: "$.n", role: initial }
      - { tool: pay, path: "$.n", role: constrained }
#== quote.yaml (with the required fields)
commit_requirement: none
#== start.yaml (with the required fields)
commit_requirement: none
#== pay.yaml (with the required fields)
assertions:
  input_invariants: []
  output_invariants: [{ path: "$.id", equals: a }]
`);
    expect(found.seen("output_invariant")).toBe("1 of 1");
  });

  it("differ from all before below the largest number that fits", () => {
    const found = explored(`#== session.yaml (with the required fields)
session_limits: { max_tool_calls: 3 }
aggregates: [{ name: kinds, metric: count_distinct, tool: pay, path: "$.n", lte: 2, reason: few }]
#== pay.yaml (with the required fields)
argument_value_invariants: [{ path: "$.n", type: number, lte: 1 }]
`);
    expect(found.reasons("pay")).toContain("aggregate_exceeded");
  });

  it("differ from all before in what need not be there", () => {
    const found = explored(`#== tools.json
[{ "name": "pay", "input_schema": {
  "type": "object", "properties": { "n": { "type": "number", "maximum": 1 } }, "additionalProperties": false } }]
#== session.yaml (with the required fields)
session_limits: { max_steps: 2, loop_detection: { window: 2, threshold: 2 } }
#== pay.yaml (with the required fields)
`);
    expect(found.reasons("pay")).toContain("session_limit_exceeded");
  });

  it("differ from all before in another text that a pattern matches", () => {
    const found = explored(`#== session.yaml (with the required fields)
session_limits: { max_calls_per_tool: { pay: 3 }, loop_detection: { window: 3, threshold: 3 } }
#== pay.yaml (with the required fields)
argument_value_invariants: [{ path: "$.id", regex: "^[ab]$" }]
`);
    expect(found.reasons("pay")).toContain("session_limit_exceeded");
  });

  it("are left open though the same call was just made", () => {
    const found = explored(`#== session.yaml (with the required fields)
session_limits: { loop_detection: { window: 3, threshold: 2 } }
#== check.yaml (with the required fields)
argument_value_invariants: [{ path: "$.n", exact_match: "x" }]
#== pay.yaml (with the required fields)
preconditions:
  - requires_prior_tool: check
    with_output: [{ path: "$.n", exists: false }]
    resource: { bind_from: arguments, path: "$.id" }
  - requires_prior_tool: check
    resource: { bind_from: arguments, path: "$.id" }
`);
    expect(found.reasons("pay")).toContain("pending_conflict");
  });

  it("lack what is to be bound once they repeat what was", () => {
    const found = explored(`#== session.yaml (with the required fields)
envelopes:
  - name: below
    constraint: lte_ceiling
    reason: high
    stages:
      - { tool: allow, path: "$.n", role: ceiling }
      - { tool: pay, path: "$.n", role: ceiling }
      - { tool: pay, path: "$.n", role: constrained }
#== allow.yaml (with the required fields)
commit_requirement: none
#== quote.yaml (with the required fields)
binds: [{ name: asked, path: "$.n", source: output }]
#== pay.yaml (with the required fields)
commit_requirement: none
binds: [{ name: asked, path: "$.id", source: arguments }]
argument_value_invariants: [{ path: "$.n", ref: asked, tolerance: 0.5 }]
`);
    expect(found.reasons("pay")).toContain("bind_missing");
  });
});

describe("principals", () => {
  it("are tried one after the other where none may call all that a tool needs", () => {
    const found = explored(`#== check.yaml (with the required fields)
binds: [{ name: asked, path: "$.n", source: arguments }]
policy: { allow: [{ principal: { path: "$.tier", gte: 2 } }] }
#== quote.yaml (with the required fields)
binds:
  - { name: asked, path: "$.n", source: arguments }
  - { name: quoted, path: "$.n", source: output }
policy: { deny: [{ principal: { path: "$.tier", gte: 2 } }] }
argument_value_invariants: [{ path: "$.n", ref: quoted }]
#== pay.yaml (with the required fields)
argument_value_invariants: [{ path: "$.n", ref: asked }]
`);
    expect(found.isAllowed("pay")).toBe(true);
  });

  it("have the rights of two entries at once", () => {
    const found = explored(`#== session.yaml (with the required fields)
session_limits: { max_calls_per_tool: { pay: 2 } }
policy:
  default_deny: true
  rules:
    - { deny: { principal: { path: "$.tier", exists: true }, tools: [note] } }
    - { allow: { tools: [check] } }
#== check.yaml (with the required fields)
#== pay.yaml (with the required fields)
policy:
  allow: [{ principal: { path: "$.kind", equals: human } }]
  deny: [{ principal: { path: "$.tier", gte: 2 } }]
#== note.yaml (with the required fields)
#== look.yaml (with the required fields)
policy: { deny: [{ principal: { path: "$.kind", equals: human } }] }
`);
    expect(found.reasons("pay")).toContain("session_limit_exceeded");
  });
});

describe("calls that never come to a good end", () => {
  const PHASES = `#== session.yaml (with the required fields)
phases:
  - { name: open, initial: true }
  - { name: ready }
  - { name: closed, terminal: true }
transitions: { open: [open, ready, closed], ready: [closed] }
`;

  it("may still change the phase as long as they are open", () => {
    const found = explored(`${PHASES}envelopes:
  - name: growing
    constraint: monotonic_increase
    reason: growing
    stages:
      - { tool: close, path: "$.n", role: initial }
      - { tool: prepare, path: "$.n", role: constrained, source: output }
#== prepare.yaml (with the required fields)
transitions: { valid_in_phases: [open], advances_to: ready }
#== note.yaml (with the required fields)
transitions: { valid_in_phases: [open], advances_to: open }
#== close.yaml (with the required fields)
transitions: { valid_in_phases: [ready], advances_to: closed }
`);
    expect(found.reasons("note")).toContain("phase_not_allowed");
  });

  it("use up the calls of a session without leading on", () => {
    const found = explored(`${PHASES}session_limits: { max_tool_calls: 2, loop_detection: { window: 2, threshold: 2 } }
#== prepare.yaml (with the required fields)
transitions: { valid_in_phases: [open], advances_to: ready }
binds: [{ name: asked, path: "$.n", source: arguments }]
assertions: { input_invariants: [], output_invariants: [{ path: "$.ok", equals: true }] }
#== pay.yaml (with the required fields)
transitions: { valid_in_phases: [open], advances_to: open }
argument_value_invariants: [{ path: "$.n", ref: asked }]
`);
    expect(found.reasons("pay")).toContain("session_limit_exceeded");
  });
});
