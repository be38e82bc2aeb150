import { describe, expect, it } from "vitest";
import { explored } from "./explored.js";

/** What language version 1.1 adds, on an argument and on the caller. */
const OPERATORS: readonly string[] = [
  "not_equals: home",
  "not_one_of: [home, 3]",
  "gt: 2.5",
  "lt: 2.5",
  "gt: 1, lt: 2",
];

function packWith(operator: string): string {
  const entry = `{ path: $.to, ${operator} }`;
  return `#== session.yaml (with the required fields)
schema_version: "1.1"
policy: { rules: [{ deny: { principal: ${entry}, tools: [denied] } }, { allow: { principal: ${entry}, tools: [allowed] } }] }
#== judged.yaml (with the required fields)
assertions: { input_invariants: [${entry}], output_invariants: [${entry}] }
#== constrained.yaml (with the required fields)
execution_constraints: { arguments: [{ path: "$.list[*].to", ${operator} }] }
#== asked.yaml (with the required fields)
checkpoint: { when: [${entry}], timeout_seconds: 60 }
#== after.yaml (with the required fields)
preconditions: [{ requires_prior_tool: judged, with_output: [{ path: $.state, ${operator} }] }]
#== denied.yaml (with the required fields)
#== allowed.yaml (with the required fields)
`;
}

describe.each(OPERATORS)("the explorer and the operator %s", (operator) => {
  const found = explored(packWith(operator));

  it("finds calls that are allowed, whatever asks for it", () => {
    for (const tool of ["judged", "constrained", "asked", "after", "denied", "allowed"])
      expect([tool, found.isAllowed(tool)]).toEqual([tool, true]);
  });

  it("finds calls, answers and people that break every rule", () => {
    expect(found.reasons("after")).toContain("prior_output_mismatch");
    expect({
      inputs: found.seen("input_invariant"),
      outputs: found.seen("output_invariant"),
      constraints: found.seen("execution_constraint"),
      checkpoints: found.seen("checkpoint"),
      denials: found.seen("policy_deny"),
      permissions: found.seen("policy_allow"),
      priors: found.seen("precondition"),
    }).toEqual({
      inputs: "1 of 1",
      outputs: "1 of 1",
      constraints: "1 of 1",
      checkpoints: "1 of 1",
      denials: "1 of 1",
      permissions: "1 of 1",
      priors: "1 of 1",
    });
  });
});
