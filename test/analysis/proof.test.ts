import { describe, expect, it } from "vitest";
import { PackUnderTest } from "../../src/analysis/model/pack-under-test.js";
import { ARGUMENTS, ROLE_ARGUMENTS } from "../../src/analysis/proof/proof.js";
import { Prover } from "../../src/analysis/proof/prover.js";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import { withPack } from "../support/pack-text.js";

/** The arguments by which something of a pack is proved: of its tools, rules and claims. */
function proved(text: string): readonly string[] {
  const { artifact, claims, diagnostics } = withPack(text, (folder) => compileFolder(folder));
  const [pack] = artifact?.packs ?? [];
  if (artifact === null || pack === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const under = new PackUnderTest(artifact, pack);
  const prover = new Prover(pack, under.rules);
  const found = [
    ...pack.tools.map(({ name }) => prover.neverAllowed(name)),
    ...under.rules.all.map((rule) => prover.cannotFire(rule)),
    ...(claims[0] ?? []).map((claim) => (claim.kind === "always_possible" ? null : prover.holds(claim))),
  ];
  return found.flatMap((proof) => proof?.by ?? []);
}

const tool = (name: string, text = "") => `#== ${name}.yaml (with the required fields)\n${text}`;
const session = (text: string) => `#== session.yaml (with the required fields)\n${text}`;
const claim = (text: string) => `#== claims.yaml (with the required fields)\nclaims: [${text}]\n`;
const PHASES = `phases: [{ name: open, initial: true }, { name: half }, { name: done, terminal: true }]
transitions: { open: [half, done], half: [done] }
`;
const SHUT = "gate: block\n";
const WRITE = "side_effect: write\n";
const CEILING = (setter: string) => `envelopes:
  - name: cap
    constraint: lte_ceiling
    reason: capped
    stages:
      - { tool: ${setter}, path: "$.n", role: ceiling, source: arguments }
      - { tool: pay, path: "$.n", role: constrained, source: arguments }
`;
const checkpoint = (text: string) => session(`checkpoints: [{ name: c, tool: pay, timeout_seconds: 60, ${text} }]\n`);

/** Of each argument a pack in which it holds, and one that is nearly the same in which it does not. */
const CASES: readonly (readonly [name: string, holds: string, fails: string])[] = [
  ["gate", tool("pay", SHUT), tool("pay", "gate: allow\n")],
  [
    "policy_denies_all",
    tool(
      "pay",
      'policy: { allow: [{ principal: { path: "$.a", equals: 1 } }], deny: [{ principal: { path: "$.a", equals: 1 } }] }\n',
    ),
    tool(
      "pay",
      'policy: { allow: [{ principal: { path: "$.a", equals: 1 } }], deny: [{ principal: [{ path: "$.a", equals: 1 }, { path: "$.b", equals: 1 }] }] }\n',
    ),
  ],
  [
    "count_out_of_bounds",
    session("aggregates: [{ name: n, metric: count, tool: pay, gte: 2, reason: r }]\n") + tool("pay"),
    session("aggregates: [{ name: n, metric: count, tool: pay, gte: 1, reason: r }]\n") + tool("pay"),
  ],
  [
    "no_value",
    tool("pay", 'argument_value_invariants: [{ path: "$.n", gte: 5 }, { path: "$.n", one_of: [1, 2, 4] }]\n'),
    tool("pay", 'argument_value_invariants: [{ path: "$.n", gte: 4 }, { path: "$.n", one_of: [1, 2, 4] }]\n'),
  ],
  [
    "phase_out_of_reach",
    session(PHASES) +
      tool("pay", "transitions: { valid_in_phases: [half] }\n") +
      tool("go", `${SHUT}transitions: { valid_in_phases: [open], advances_to: half }\n`),
    session(PHASES) +
      tool("pay", "transitions: { valid_in_phases: [half] }\n") +
      tool("go", "transitions: { valid_in_phases: [open], advances_to: half }\n"),
  ],
  [
    "prior_never_allowed",
    tool("pay", "preconditions: [{ requires_prior_tool: ask }]\n") +
      tool("ask", "preconditions: [{ requires_prior_tool: pay }]\n"),
    tool("pay", "preconditions: [{ requires_prior_tool: ask }]\n") + tool("ask"),
  ],
  [
    "slot_never_set",
    tool("pay", 'argument_value_invariants: [{ path: "$.n", ref: x }]\n') +
      tool("ask", `${SHUT}binds: [{ name: x, path: "$.n", source: arguments }]\n`),
    tool("pay", 'argument_value_invariants: [{ path: "$.n", ref: x }]\n') +
      tool("ask", 'binds: [{ name: x, path: "$.n", source: arguments }]\n'),
  ],
  [
    "reference_never_set",
    session(CEILING("ask")) + tool("pay") + tool("ask", SHUT),
    session(CEILING("ask")) + tool("pay") + tool("ask"),
  ],
  [
    "always_met",
    tool("pay", "preconditions: [{ requires_step_count: { gte: 0 } }]\n"),
    tool("pay", "preconditions: [{ requires_step_count: { gte: 1 } }]\n"),
  ],
  [
    "other_limit_lower",
    session("session_limits: { max_tool_calls: 3, max_calls_per_tool: { pay: 4 } }\n") + tool("pay"),
    session("session_limits: { max_tool_calls: 3, max_calls_per_tool: { pay: 3 } }\n") + tool("pay"),
  ],
  [
    "window_too_small",
    session("session_limits: { loop_detection: { window: 3, threshold: 4 } }\n") + tool("pay"),
    session("session_limits: { loop_detection: { window: 4, threshold: 4 } }\n") + tool("pay"),
  ],
  [
    "forbidding_tool_never_allowed",
    tool("pay") + tool("ask", `${SHUT}forbids_after: [pay]\n`),
    tool("pay") + tool("ask", "forbids_after: [pay]\n"),
  ],
  [
    "tool_never_allowed",
    tool("pay", `${SHUT}assertions: { input_invariants: [], output_invariants: [{ path: "$.ok", equals: true }] }\n`),
    tool("pay", 'assertions: { input_invariants: [], output_invariants: [{ path: "$.ok", equals: true }] }\n'),
  ],
  [
    "never_allowed",
    claim("{ at_most: { tool: pay, calls: 0 } }") + tool("pay", SHUT),
    claim("{ at_most: { tool: pay, calls: 0 } }") + tool("pay"),
  ],
  [
    "precondition",
    claim("{ never: { tool: pay, without_prior: ask } }") +
      tool("pay", "preconditions: [{ requires_prior_tool: ask }]\n") +
      tool("ask"),
    claim("{ never: { tool: pay, without_prior: ask } }") +
      tool("pay", "preconditions: [{ requires_prior_tool: look }]\n") +
      tool("ask") +
      tool("look"),
  ],
  [
    "needed_first",
    claim("{ never: { tool: pay, without_prior: ask } }") +
      session(PHASES) +
      tool("pay", "preconditions: [{ requires_prior_tool: look }]\n") +
      tool("look", "transitions: { valid_in_phases: [half] }\n") +
      tool("ask", "transitions: { valid_in_phases: [open], advances_to: half }\n"),
    claim("{ never: { tool: pay, without_prior: ask } }") +
      session(PHASES) +
      tool("pay", "preconditions: [{ requires_prior_tool: look }]\n") +
      tool("look", "transitions: { valid_in_phases: [half, open] }\n") +
      tool("ask", "transitions: { valid_in_phases: [open], advances_to: half }\n"),
  ],
  [
    "forbids_after",
    claim("{ never: { tool: pay, after: ask } }") + tool("pay") + tool("ask", "forbids_after: [pay]\n"),
    claim("{ never: { tool: pay, after: ask } }") + tool("pay") + tool("ask", "forbids_after: [ask]\n"),
  ],
  [
    "phase_left",
    claim("{ never: { tool: pay, after: end } }") +
      session(PHASES) +
      tool("pay", "transitions: { valid_in_phases: [half] }\n") +
      tool("go", "transitions: { valid_in_phases: [open], advances_to: half }\n") +
      tool("end", "transitions: { valid_in_phases: [open], advances_to: done }\n"),
    // Here `go` may be open when `end` is let through, and take effect after it.
    claim("{ never: { tool: pay, after: end } }") +
      session(PHASES) +
      tool("pay", "transitions: { valid_in_phases: [half] }\n") +
      tool("go", "transitions: { valid_in_phases: [open], advances_to: half }\n") +
      tool("end", "transitions: { valid_in_phases: [open, half], advances_to: done }\n"),
  ],
  [
    "label_gate",
    claim("{ never: { tool: pay, when_label: bad } }") +
      session("policy: { label_gates: [{ when_label: bad, deny_tools: [pay], reason: r }] }\n") +
      tool("pay") +
      tool("ask"),
    claim("{ never: { tool: pay, when_label: bad } }") +
      session("policy: { label_gates: [{ when_label: bad, deny_tools: [ask], reason: r }] }\n") +
      tool("pay") +
      tool("ask"),
  ],
  [
    "call_limit",
    claim("{ at_most: { tool: pay, calls: 2 } }") +
      session("session_limits: { max_calls_per_tool: { pay: 2 } }\n") +
      tool("pay", WRITE),
    claim("{ at_most: { tool: pay, calls: 2 } }") +
      session("session_limits: { max_calls_per_tool: { pay: 3 } }\n") +
      tool("pay", WRITE),
  ],
  [
    "count_limit",
    claim("{ at_most: { tool: pay, calls: 2 } }") +
      session("aggregates: [{ name: n, metric: count, tool: pay, lte: 2, reason: r }]\n") +
      tool("pay", WRITE) +
      tool("ask", 'binds: [{ name: x, path: "$.n", source: arguments }]\n'),
    claim("{ at_most: { tool: pay, calls: 2 } }") +
      session(
        "aggregates: [{ name: n, metric: count, tool: pay, lte: 2, reason: r, when: [{ binding: x, equals: 1, then_lte: 5 }] }]\n",
      ) +
      tool("pay", WRITE) +
      tool("ask", 'binds: [{ name: x, path: "$.n", source: arguments }]\n'),
  ],
  [
    "forbids_itself",
    claim("{ at_most: { tool: pay, calls: 1 } }") + tool("pay", `${WRITE}forbids_after: [pay]\n`),
    claim("{ at_most: { tool: pay, calls: 1 } }") + tool("pay", WRITE),
  ],
  [
    "checkpoint",
    claim('{ requires_approval: { tool: pay, when: [{ path: "$.n", equals: 7 }] } }') +
      checkpoint('when: [{ path: "$.n", gte: 5 }]') +
      tool("pay"),
    claim('{ requires_approval: { tool: pay, when: [{ path: "$.n", equals: 7 }] } }') +
      checkpoint('when: [{ path: "$.n", gte: 5 }], on_timeout: allow') +
      tool("pay"),
  ],
];

describe("proofs", () => {
  it.each(CASES)("by %s are found, and not where they do not hold", (name, holds, fails) => {
    expect(proved(holds)).toContain(name);
    expect(proved(fails)).not.toContain(name);
  });

  // A read that timed out is released, and may have happened: what counts calls says nothing of how many there really are.
  it.each([
    ["call_limit", "session_limits: { max_calls_per_tool: { pay: 1 } }\n", ""],
    ["call_limit", "session_limits: { max_tool_calls: 1 }\n", ""],
    ["count_limit", "aggregates: [{ name: n, metric: count, tool: pay, lte: 1, reason: r }]\n", ""],
    ["forbids_itself", "", "forbids_after: [pay]\n"],
  ])("by %s are not found for a read, unless it counts from its dispatch on", (name, limits, own) => {
    const pack = (fields: string) =>
      claim("{ at_most: { tool: pay, calls: 1 } }") + session(limits) + tool("pay", fields + own);
    expect(proved(pack("side_effect: read\n"))).toEqual([]);
    expect(proved(pack("side_effect: read\ncommit_requirement: none\n"))).toContain(name);
    expect(proved(pack("side_effect: write\n"))).toContain(name);
  });

  it("are tried by every argument but those that the compiler leaves no pack for", () => {
    // test/analysis/workflow/verify-workflow.test.ts has those about roles, control-proof.test.ts the one about control.
    const tried = new Set<string>([...CASES.map(([name]) => name), ...ROLE_ARGUMENTS, "control"]);
    expect(ARGUMENTS.filter((name) => !tried.has(name))).toEqual(["limit_of_zero", "loop_at_once"]);
  });
});
