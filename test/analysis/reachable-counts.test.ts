import { describe, expect, it } from "vitest";
import { explored } from "./explored.js";

describe("calls that cannot be repeated at once", () => {
  it("exceed a sum with another call in between", () => {
    const found = explored(`#== session.yaml (with the required fields)
session_limits: { loop_detection: { window: 2, threshold: 2 } }
aggregates: [{ name: paid, metric: sum, tool: pay, path: "$.n", lte: 1, reason: enough }]
#== pay.yaml (with the required fields)
argument_value_invariants: [{ path: "$.n", one_of: [1] }]
#== note.yaml (with the required fields)
#== tools.json
[{ "name": "note", "input_schema": { "type": "object" } },
 { "name": "pay", "input_schema": { "type": "object", "additionalProperties": false,
   "properties": { "n": { "type": "number" } } } }]
`);
    expect(found.reasons("pay")).toContain("aggregate_exceeded");
  });

  it("reach the limit of their tool with another call in between", () => {
    const found = explored(`#== session.yaml (with the required fields)
session_limits: { max_calls_per_tool: { pay: 3 }, loop_detection: { window: 3, threshold: 2 } }
#== pay.yaml (with the required fields)
argument_value_invariants: [{ path: "$.n", one_of: [1, 2] }]
#== note.yaml (with the required fields)
#== tools.json
[{ "name": "note", "input_schema": { "type": "object" } },
 { "name": "pay", "input_schema": { "type": "object", "additionalProperties": false, "required": ["n"],
   "properties": { "n": { "type": "number" } } } }]
`);
    expect(found.reasons("pay")).toContain("session_limit_exceeded");
  });

  it("are repeated soon enough to be a loop where the way back to their phase takes other calls", () => {
    const found = explored(`#== session.yaml (with the required fields)
phases:
  - { name: open, initial: true }
  - { name: ready }
  - { name: closed, terminal: true }
transitions: { open: [ready, closed], ready: [closed, open] }
session_limits: { loop_detection: { window: 3, threshold: 2 } }
#== pay.yaml (with the required fields)
transitions: { valid_in_phases: [ready], advances_to: open }
#== check.yaml (with the required fields)
transitions: { valid_in_phases: [open, ready], advances_to: ready }
#== note.yaml (with the required fields)
`);
    expect(found.reasons("pay")).toContain("loop_detected");
  });
});

describe("sessions that are used up", () => {
  it("were filled with none of the calls that forbid the others", () => {
    const found = explored(`#== session.yaml (with the required fields)
session_limits: { max_steps: 2, max_calls_per_tool: { check: 2 } }
#== audit.yaml (with the required fields)
forbids_after: [audit, check]
#== check.yaml (with the required fields)
#== pay.yaml (with the required fields)
forbids_after: [audit, pay]
`);
    expect(found.reasons("pay")).toContain("session_limit_exceeded");
  });

  it("were filled with calls whose output breaks a rule before the phase was left", () => {
    const found = explored(`#== session.yaml (with the required fields)
phases:
  - { name: open, initial: true }
  - { name: ready, terminal: true }
transitions: { open: [ready] }
session_limits: { max_tool_calls: 3, max_calls_per_tool: { note: 1 } }
#== check.yaml (with the required fields)
transitions: { valid_in_phases: [open], advances_to: ready }
assertions: { input_invariants: [], output_invariants: [{ path: "$.ok", equals: true }] }
#== note.yaml (with the required fields)
assertions: { input_invariants: [], output_invariants: [{ path: "$.ok", equals: true }] }
#== pay.yaml (with the required fields)
transitions: { valid_in_phases: [ready], advances_to: ready }
binds: [{ name: last, path: "$.n", source: output }]
argument_value_invariants: [{ path: "$.n", ref: last }]
`);
    expect(found.reasons("pay")).toContain("session_limit_exceeded");
  });

  it("were filled with calls that need others themselves", () => {
    const found = explored(`#== session.yaml (with the required fields)
aggregates: [{ name: both, metric: count, tool: [order, pay], lte: 1, reason: enough }]
envelopes:
  - name: falling
    constraint: monotonic_decrease
    reason: higher
    stages:
      - { tool: quote, path: "$.n", role: initial, source: output }
      - { tool: order, path: "$.n", role: constrained }
  - name: own
    constraint: gte_floor
    reason: lower
    stages:
      - { tool: pay, path: "$.n", role: floor }
      - { tool: pay, path: "$.n", role: constrained }
#== quote.yaml (with the required fields)
#== order.yaml (with the required fields)
#== pay.yaml (with the required fields)
`);
    expect(found.reasons("pay")).toContain("aggregate_exceeded");
  });
});

describe("different values that are counted", () => {
  it("are found in a list", () => {
    const found = explored(`#== session.yaml (with the required fields)
session_limits: { max_calls_per_tool: { pay: 2 } }
aggregates: [{ name: amounts, metric: count_distinct, tool: pay, path: "$.n", lte: 1, reason: enough }]
#== pay.yaml (with the required fields)
#== tools.json
[{ "name": "pay", "input_schema": { "type": "object", "properties": { "n": { "type": "number", "enum": [0.5, 1, 1.5] } } } }]
`);
    expect(found.reasons("pay")).toContain("aggregate_exceeded");
  });

  it("are several in one list", () => {
    const found = explored(`#== session.yaml (with the required fields)
session_limits: { max_calls_per_tool: { pay: 1 } }
aggregates: [{ name: amounts, metric: count_distinct, tool: pay, path: "$.items[*].n", lte: 1, reason: enough }]
#== pay.yaml (with the required fields)
`);
    expect(found.reasons("pay")).toContain("aggregate_exceeded");
  });

  it("come from another tool where a tool has only one", () => {
    const found = explored(`#== session.yaml (with the required fields)
phases:
  - { name: open, initial: true }
  - { name: ready, terminal: true }
transitions: { open: [ready] }
aggregates: [{ name: ids, metric: count_distinct, tool: "*", path: "$.id", lte: 1, reason: enough }]
#== check.yaml (with the required fields)
transitions: { valid_in_phases: [open], advances_to: ready }
#== note.yaml (with the required fields)
transitions: { valid_in_phases: [open, ready] }
#== pay.yaml (with the required fields)
transitions: { valid_in_phases: [ready] }
#== tools.json
[{ "name": "check", "input_schema": { "type": "object", "properties": { "id": { "type": "string", "enum": ["a"] } } } },
 { "name": "note", "input_schema": { "type": "object", "properties": { "id": { "type": "string" } } } },
 { "name": "pay", "input_schema": { "type": "object", "properties": { "id": { "type": "string", "enum": ["a"] } } } }]
`);
    expect(found.reasons("pay")).toContain("aggregate_exceeded");
  });

  it("are the same as the one that has to be repeated", () => {
    const found = explored(`#== session.yaml (with the required fields)
aggregates:
  - name: amounts
    metric: count_distinct
    tool: [quote, pay]
    path: "$.n"
    lte: 1
    reason: enough
    when: [{ binding: asked, lte: 1, then_gte: 2 }]
#== quote.yaml (with the required fields)
binds: [{ name: asked, path: "$.n", source: output }]
#== pay.yaml (with the required fields)
argument_value_invariants: [{ path: "$.n", ref: asked }]
`);
    expect(found.isAllowed("pay")).toBe(true);
  });

  it("are each said by an earlier call first", () => {
    const found = explored(`#== session.yaml (with the required fields)
aggregates: [{ name: files, metric: count_distinct, tool: edit, path: "$.id", lte: 6, reason: enough }]
#== read.yaml (with the required fields)
argument_value_invariants: [{ path: "$.id", regex: "^[a-z0-9]+$" }]
#== edit.yaml (with the required fields)
preconditions: [{ requires_prior_tool: read, resource: { bind_from: arguments, path: "$.id" } }]
`);
    expect(found.seen("aggregate")).toBe("1 of 1");
  });
});

describe("calls beside an open one", () => {
  it("have what little a sum has room for", () => {
    const found = explored(`#== session.yaml (with the required fields)
aggregates:
  - { name: paid, metric: sum, tool: pay, path: "$.n", gte: 1.5, lte: 2.5, reason: enough }
  - name: calls
    metric: count
    tool: pay
    gte: 1
    reason: enough
    when: [{ binding: last, gte: 1, then_lte: 1.5 }]
#== pay.yaml (with the required fields)
binds: [{ name: last, path: "$.n", source: output }]
`);
    expect(found.reasons("pay")).toContain("pending_conflict");
  });
});

describe("sums of what lies deeper", () => {
  it("cannot be judged where what holds it is left out", () => {
    const found = explored(`#== session.yaml (with the required fields)
aggregates: [{ name: paid, metric: sum, tool: pay, path: "$.box.n", lte: 40, reason: enough }]
#== pay.yaml (with the required fields)
#== tools.json
[{ "name": "pay", "input_schema": { "type": "object", "properties": { "box": {
   "type": "object", "required": ["n"], "properties": { "n": { "type": "number" } } } } } }]
`);
    expect(found.reasons("pay")).toContain("aggregate_unjudgeable");
  });
});
