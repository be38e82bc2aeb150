import { describe, expect, it } from "vitest";
import type { Verification } from "../../src/analysis/verification.js";
import { verify } from "../../src/analysis/verify.js";
import type { Artifact } from "../../src/artifact/compiled.js";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import { createGuard } from "../../src/guard/guard.js";
import type { ProposedCall } from "../../src/guard/public.js";
import { withPack } from "../support/pack-text.js";

interface Compiled {
  readonly artifact: Artifact;
  readonly found: Verification;
}

async function verified(text: string): Promise<Compiled> {
  const { artifact, claims, diagnostics } = withPack(text, (folder) => compileFolder(folder));
  if (artifact === null) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const [found] = await verify(artifact, claims);
  if (found === undefined) throw new Error("a pack without tools");
  return { artifact, found };
}

/** The kinds of the guard's verdicts on calls that succeed one after the other. */
async function verdicts(
  artifact: Artifact,
  calls: readonly (ProposedCall & { output?: unknown })[],
): Promise<string[]> {
  const guard = await createGuard(artifact, { approver: "manual" });
  const kinds: string[] = [];
  for (const { output = {}, ...call } of calls) {
    const verdict = await guard.propose(call);
    kinds.push(verdict.kind);
    if (verdict.kind === "allow") await guard.settle(verdict.callId, { kind: "result", output });
  }
  return kinds;
}

const statuses = ({ found }: Compiled) => found.claims.map(({ status }) => status);
const statusOf = ({ found }: Compiled, tool: string) => found.tools.find((each) => each.tool === tool)?.status;

const BAND = (name: string, anchor: string, next: string) => `
  - name: ${name}
    constraint: within_band
    band: 0.1
    reason: near
    stages:
      - { tool: ${anchor}, path: "$.amount", role: anchor, source: arguments }
      - { tool: ${next}, path: "$.amount", role: constrained, source: arguments }`;

describe("claims that the guard breaks are not proved", () => {
  it("where three bands follow each other: 100, 110, 121, 130", async () => {
    const text = `#== claims.yaml (with the required fields)
claims:
  - requires_approval: { tool: pay, when: [{ path: "$.amount", gte: 130 }] }
#== session.yaml (with the required fields)
envelopes:${BAND("first", "ask", "quote")}${BAND("second", "quote", "offer")}${BAND("third", "offer", "pay")}
checkpoints: [{ name: large, tool: pay, when: [{ path: "$.amount", gte: 500 }], timeout_seconds: 60 }]
#== ask.yaml (with the required fields)
argument_value_invariants: [{ path: "$.amount", lte: 100, gte: 0 }]
#== quote.yaml (with the required fields)
#== offer.yaml (with the required fields)
#== pay.yaml (with the required fields)
`;
    const compiled = await verified(text);
    const amounts = [100, 110, 121, 130];
    const tools = ["ask", "quote", "offer", "pay"];
    const calls = tools.map((tool, at) => ({ tool, args: { amount: amounts[at] ?? 0 } }));
    expect(await verdicts(compiled.artifact, calls)).toEqual(["allow", "allow", "allow", "allow"]);
    expect(statuses(compiled)).toEqual(["violated"]);
  });

  it("where silence lets the call through", async () => {
    const pack = (end: string) => `#== claims.yaml (with the required fields)
claims: [{ requires_approval: { tool: pay } }]
#== session.yaml (with the required fields)
checkpoints: [{ name: all, tool: pay, when: always, timeout_seconds: 60, on_timeout: ${end} }]
#== pay.yaml (with the required fields)
`;
    const silent = await verified(pack("allow"));
    expect(statuses(silent)).toEqual(["violated"]);
    const [step] = silent.found.claims[0]?.trace?.steps ?? [];
    expect(step).toMatchObject({ verdict: { kind: "approval", isUnanswered: true }, outcome: { kind: "open" } });
    expect(statuses(await verified(pack("deny")))).toEqual(["proved"]);
  });

  it("where only the last of more than four kinds of principals breaks them", async () => {
    const roles = ["a", "b", "c", "d", "e", "f"];
    const helpers = roles
      .map(
        (role) => `#== help_${role}.yaml (with the required fields)
transitions: { valid_in_phases: [open], advances_to: ready }
policy: { allow: [{ principal: { path: "$.role", equals: ${role} } }] }
`,
      )
      .join("");
    const compiled = await verified(`#== claims.yaml (with the required fields)
claims: [{ never: { tool: pay, after: help_f } }]
#== session.yaml (with the required fields)
phases: [{ name: open, initial: true }, { name: ready, terminal: true }]
transitions: { open: [ready] }
${helpers}#== pay.yaml (with the required fields)
transitions: { valid_in_phases: [ready] }
`);
    expect(statuses(compiled)).toEqual(["violated"]);
    expect(compiled.found.claims[0]?.trace?.principal).toMatchObject({ role: "f" });
  });

  it("where several calls in one step break them", async () => {
    const compiled = await verified(`#== claims.yaml (with the required fields)
claims: [{ at_most: { tool: pay, calls: 3 } }]
#== session.yaml (with the required fields)
session_limits: { max_steps: 3 }
#== pay.yaml (with the required fields)
`);
    expect(statuses(compiled)).not.toContain("proved");
    expect(statuses(compiled)).toEqual(["violated"]);
  });

  it.each([
    ["a limit", "session_limits: { max_calls_per_tool: { look: 2 } }", ""],
    ["a count", "aggregates: [{ name: n, metric: count, tool: look, lte: 2, reason: r }]", ""],
    ["itself", "", "forbids_after: [look]"],
  ])("where reads that time out are released by %s, and may have happened", async (_, session, own) => {
    const compiled = await verified(`#== claims.yaml (with the required fields)
claims: [{ at_most: { tool: look, calls: 2 } }]
#== session.yaml (with the required fields)
${session}
#== look.yaml (with the required fields)
side_effect: read
${own}
`);
    expect(statuses(compiled)).toEqual(["violated"]);
    const steps = compiled.found.claims[0]?.trace?.steps ?? [];
    const outcomes = steps.map((step) => (step.kind === "call" ? step.outcome?.kind : step.kind));
    expect(outcomes.filter((kind) => kind === "lost").length).toBeGreaterThan(0);
    expect(steps.filter((step) => step.kind === "call" && step.verdict.kind === "allow")).toHaveLength(3);
  });
});

describe("tools that the guard allows are not said to be never allowed", () => {
  it("after a chain of tolerances: 100, 110, 121", async () => {
    const compiled = await verified(`#== ask.yaml (with the required fields)
binds: [{ name: asked, path: "$.amount", source: arguments }]
argument_value_invariants: [{ path: "$.amount", lte: 100, gte: 0 }]
#== quote.yaml (with the required fields)
binds: [{ name: quoted, path: "$.amount", source: arguments }]
argument_value_invariants: [{ path: "$.amount", ref: asked, tolerance: 0.1 }]
#== pay.yaml (with the required fields)
argument_value_invariants:
  - { path: "$.amount", ref: quoted, tolerance: 0.1 }
  - { path: "$.amount", gte: 121 }
`);
    const calls = ["ask", "quote", "pay"].map((tool, at) => ({ tool, args: { amount: [100, 110, 121][at] ?? 0 } }));
    expect(await verdicts(compiled.artifact, calls)).toEqual(["allow", "allow", "allow"]);
    expect(statusOf(compiled, "pay")).not.toBe("never_allowed");
  });

  it("with a value that must fit the patterns of two tools", async () => {
    const compiled = await verified(`#== open.yaml (with the required fields)
binds: [{ name: id, path: "$.id", source: arguments }]
argument_value_invariants: [{ path: "$.id", regex: "^[a-z]{3}[0-9]{3}$" }]
#== close.yaml (with the required fields)
argument_value_invariants:
  - { path: "$.id", ref: id }
  - { path: "$.id", regex: "q.*7$" }
`);
    const calls = ["open", "close"].map((tool) => ({ tool, args: { id: "qab127" } }));
    expect(await verdicts(compiled.artifact, calls)).toEqual(["allow", "allow"]);
    expect(statusOf(compiled, "close")).not.toBe("never_allowed");
  });

  it("with arrays that need two items", async () => {
    const compiled = await verified(`#== session.yaml (with the required fields)
aggregates: [{ name: paid, metric: sum, tool: pay, path: "$.lines[*].amount", gte: 150, reason: enough }]
#== pay.yaml (with the required fields)
assertions:
  input_invariants: [{ path: "$.lines[*].amount", gte: 1, lte: 100 }]
  output_invariants: []
`);
    const args = { lines: [{ amount: 100 }, { amount: 50 }] };
    expect(await verdicts(compiled.artifact, [{ tool: "pay", args }])).toEqual(["allow"]);
    expect(statusOf(compiled, "pay")).not.toBe("never_allowed");
  });

  it("and what was not tried for a needed tool is reported for those that need it", async () => {
    const compiled = await verified(`#== open.yaml (with the required fields)
argument_value_invariants: [{ path: "$.id", regex: "^(?:[a-z]{2}7){3}$" }, { path: "$.id", regex: "q.*x.*z" }]
#== close.yaml (with the required fields)
preconditions: [{ requires_prior_tool: open }]
`);
    const calls = [
      { tool: "open", args: { id: "qa7bx7cz7" } },
      { tool: "close", args: {} },
    ];
    expect(await verdicts(compiled.artifact, calls)).toEqual(["allow", "allow"]);
    expect(compiled.found.tools.map(({ status }) => status)).not.toContain("never_allowed");
    const [close, open] = compiled.found.tools;
    if (open?.status === "not_shown") {
      expect(close?.met).toEqual(expect.arrayContaining([...open.met]));
      expect(open.met).toContain("sampled_patterns");
    }
  });
});

describe("findings by reading", () => {
  it("do not call impossible what only a schema of outputs rules out: the guard does not enforce it", async () => {
    const text = `#== check.yaml (with the required fields)
#== pay.yaml (with the required fields)
preconditions: [{ requires_prior_tool: check, with_output: [{ path: "$.status", equals: maybe }] }]
#== tools.json
[
  { "name": "check", "input_schema": { "type": "object" },
    "output_schema": { "type": "object", "properties": { "status": { "enum": ["yes", "no"] } } } },
  { "name": "pay", "input_schema": { "type": "object" } }
]
`;
    const { diagnostics } = withPack(text, (folder) => compileFolder(folder));
    const made = await verified(text);
    const calls = [
      { tool: "check", args: {}, output: { status: "maybe" } },
      { tool: "pay", args: {} },
    ];
    expect(await verdicts(made.artifact, calls)).toEqual(["allow", "allow"]);
    expect(statusOf(made, "pay")).toBe("allowed");
    expect(diagnostics.map(({ message }) => message)).toEqual([
      '`pay` can only be called if `check` breaks its output schema: no output that fits meets both `enum: ["yes","no"]` and `equals: "maybe"` at `$.status`',
    ]);
  });
});
