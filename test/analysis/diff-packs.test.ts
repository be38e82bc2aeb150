import { describe, expect, it } from "vitest";
import { diffPacks } from "../../src/analysis/diff/diff-packs.js";
import { renderText } from "../../src/analysis/diff/render/render-text.js";
import type { Difference } from "../../src/analysis/difference.js";
import { sentenceOf } from "../../src/report/sentences.js";
import { artifactOf } from "../support/guard-artifact.js";
import { compiled, edited, filesOf } from "./diff-mutants.js";

const SHOP = `#== session.yaml (with the required fields)
agent: shop
phases:
  - { name: open, initial: true }
  - { name: paid }
  - { name: done, terminal: true }
transitions: { open: [paid, done], paid: [done] }
session_limits:
  max_steps: 20
  max_calls_per_tool: { pay: 2 }
  max_cost_per_session: 2
  loop_detection: { window: 6, threshold: 4 }
  circuit_breaker: { consecutive_blocks: 4, consecutive_errors: 6 }
risk_defaults: { read: allow, write: allow, financial: allow, admin: block, destructive: allow }
policy:
  default_deny: false
  rules:
    - deny: { principal: { path: "$.type", equals: robot }, tools: [pay] }
    - allow: { principal: { path: "$.team", one_of: [sales, support] }, tools: [close] }
  label_gates:
    - { when_label: secret, deny_tools: [pay], reason: "Nothing is paid for while secrets are about" }
aggregates:
  - { name: total, metric: sum, tool: pay, path: "$.amount", lte: 1000, reason: "At most 1000" }
envelopes:
  - name: quote
    stages:
      - { tool: look, source: output, path: "$.price", role: ceiling }
      - { tool: pay, path: "$.amount", role: constrained }
    constraint: lte_ceiling
    reason: "No more than was quoted"
#== look.yaml (with the required fields)
assertions:
  input_invariants:
    - { path: "$.item", type: string }
  output_invariants:
    - { path: "$.price", type: number, gte: 1 }
binds:
  - { name: item, source: arguments, path: "$.item" }
#== pay.yaml (with the required fields)
side_effect: financial
transitions: { valid_in_phases: [open, paid], advances_to: paid }
preconditions:
  - requires_prior_tool: look
    with_output:
      - { path: "$.stock", gte: 1 }
argument_value_invariants:
  - { path: "$.item", ref: item }
  - { path: "$.amount", type: number, gte: 1, lte: 600 }
  - { path: "$.currency", one_of: [EUR, USD] }
checkpoint:
  when:
    - { path: "$.amount", gte: 500 }
  timeout_seconds: 60
  on_timeout: deny
#== close.yaml (with the required fields)
side_effect: write
transitions: { valid_in_phases: [paid], advances_to: done }
forbids_after: [look]
#== wipe.yaml (with the required fields)
side_effect: admin
`;

const BOUNDS = { depth: 40, states: 400 };

async function diffOf(before: string, after: string): Promise<readonly Difference[]> {
  return await diffPacks(artifactOf(before), artifactOf(after), { bounds: BOUNDS, wording: sentenceOf });
}

function edit(from: string, to: string): string {
  if (!SHOP.includes(from)) throw new Error(`the pack does not say: ${from}`);
  return SHOP.replace(from, to);
}

/** `loosened rule`, and after it the tools that are newly allowed (+) and newly refused (-). */
function summary(differences: readonly Difference[]): string {
  const changes = differences.flatMap((each) => each.changes.map(({ kind, what }) => `${kind} ${what}`));
  const divergences = differences.flatMap((each) => each.divergences);
  const tools = divergences.map(({ tool, now }) => `${now === "allowed" ? "+" : "-"}${tool}`);
  return `${changes.join(", ")}: ${[...new Set(tools)].sort().join(" ")}`;
}

const ROWS: readonly (readonly [name: string, from: string, to: string, expected: string])[] = [
  ["a larger bound", "lte: 600", "lte: 700", "loosened rule: +pay"],
  ["a smaller bound", "lte: 600", "lte: 400", "tightened rule: -pay"],
  ["an operator less", ", lte: 600", "", "loosened rule: +pay"],
  ["an invariant less", '  - { path: "$.currency", one_of: [EUR, USD] }\n', "", "removed rule: +pay"],
  ["a value more", "[EUR, USD]", "[EUR, USD, GBP]", "loosened rule: +pay"],
  ["a value less", "[EUR, USD]", "[EUR]", "tightened rule: -pay"],
  ["a phase more", "valid_in_phases: [open, paid]", "valid_in_phases: [open, paid, done]", "loosened rule: "],
  ["a phase less", "valid_in_phases: [open, paid]", "valid_in_phases: [open]", "tightened rule: -pay"],
  ["no output asked for", '    with_output:\n      - { path: "$.stock", gte: 1 }\n', "", "loosened rule: +pay"],
  ["less output asked for", '"$.stock", gte: 1', '"$.stock", gte: 0', "loosened rule: +pay"],
  ["a reference less", '  - { path: "$.item", ref: item }\n', "", "removed rule: +pay"],
  ["a reference with a tolerance", "ref: item }", "ref: item, tolerance: 0.1 }", "loosened rule: "],
  ["an approval asked for later", 'amount", gte: 500', 'amount", gte: 550', "loosened rule: +pay"],
  ["an approval asked for earlier", 'amount", gte: 500', 'amount", gte: 300', "tightened rule: -pay"],
  ["silence that means yes", "on_timeout: deny", "on_timeout: allow", "loosened rule: "],
  ["a longer time to answer", "timeout_seconds: 60", "timeout_seconds: 90", "changed rule: "],
  ["a call more", "{ pay: 2 }", "{ pay: 3 }", "loosened rule: +pay"],
  ["a call less", "{ pay: 2 }", "{ pay: 1 }", "tightened rule: -pay"],
  ["a larger sum", "lte: 1000,", "lte: 1100,", "loosened rule: +pay"],
  ["a smaller sum", "lte: 1000,", "lte: 900,", "tightened rule: -pay"],
  ["a dearer session", "max_cost_per_session: 2", "max_cost_per_session: 5", "loosened rule: +close +look +pay"],
  ["a longer session", "max_steps: 20", "max_steps: 25", "loosened rule: +close +look +pay"],
  ["more repetitions", "threshold: 4", "threshold: 5", "loosened rule: +look"],
  ["a shorter window", "window: 6", "window: 5", "loosened rule: +close +look +pay"],
  ["more blocks in a row", "consecutive_blocks: 4", "consecutive_blocks: 5", "loosened rule: +look"],
  ["fewer errors in a row", "consecutive_errors: 6", "consecutive_errors: 3", "tightened rule: -look"],
  ["a class of tools opened", "admin: block", "admin: allow", "removed rule: +wipe"],
  [
    "a denial less",
    '    - deny: { principal: { path: "$.type", equals: robot }, tools: [pay] }\n',
    "",
    "removed rule: +pay",
  ],
  ["another role allowed", "[sales, support]", "[sales, support, staff]", "loosened rule: +close"],
  ["a label that denies nothing", "deny_tools: [pay]", "deny_tools: [close]", "added rule, removed rule: +pay -close"],
  ["a tool that forbids nothing", "forbids_after: [look]", "", "removed rule: +look"],
  ["a way more", "paid: [done]", "paid: [done, open]", "added transition: "],
  [
    "a price that may be nothing",
    "type: number, gte: 1 }\nbinds",
    "type: number, gte: 0 }\nbinds",
    "loosened rule: +look",
  ],
  ["another reason", "At most 1000", "Not more than 1000", "changed rule: "],
  [
    "another slot bound",
    '{ name: item, source: arguments, path: "$.item" }',
    '{ name: item, source: output, path: "$.item" }',
    "removed rule, changed setting: +pay -pay",
  ],
  [
    "a slower answer",
    "#== wipe.yaml (with the required fields)\n",
    "#== wipe.yaml (with the required fields)\ntimeouts: { total_ms: 9000 }\n",
    "changed setting: ",
  ],
  ["a tool less", "#== wipe.yaml (with the required fields)\nside_effect: admin\n", "", "removed tool: "],
  ["a tool more", "#== wipe.yaml", "#== sweep.yaml (with the required fields)\n#== wipe.yaml", "added tool: +sweep"],
  ["lines moved", "agent: shop\n", "# A comment.\n\n\nagent: shop\n", ": "],
  ["keys in another order", "type: number, gte: 1, lte: 600", "lte: 600, gte: 1, type: number", ": "],
  [
    "a rule that another one covers",
    "lte: 600 }\n",
    'lte: 600 }\n  - { path: "$.amount", lte: 900 }\n',
    "added rule: ",
  ],
];

describe("a change of a pack", () => {
  it.each(ROWS)("%s", async (_name, from, to, expected) => {
    expect(summary(await diffOf(SHOP, edit(from, to)))).toBe(expected);
  });

  it("may be a circuit breaker where there was another one already", async () => {
    const before = edit(", consecutive_errors: 6", "");
    expect(summary(await diffOf(before, SHOP))).toBe("added rule: -look");
    expect(summary(await diffOf(SHOP, before))).toBe("removed rule: +look");
  });

  it("may be that calls lead to another phase", async () => {
    const differences = await diffOf(SHOP, edit("[paid], advances_to: done", "[paid]"));
    expect(summary(differences)).toBe("changed rule: +close +pay");
  });

  it("is none between a pack and itself", async () => {
    expect(await diffOf(SHOP, SHOP)).toEqual([]);
  });
});

describe("a divergence", () => {
  it("is the shortest session, and names the old rule that refused", async () => {
    const [difference] = await diffOf(SHOP, edit("lte: 600", "lte: 700"));
    const [divergence] = difference?.divergences ?? [];
    expect(divergence?.trace.steps.map((step) => (step.kind === "call" ? step.tool : step.kind))).toEqual([
      "look",
      "pay",
    ]);
    expect(divergence?.rule).toBe(difference?.changes[0]?.before);
    expect(divergence?.ruleId).toBe(difference?.changes[0]?.oldRule);
  });

  it("names the new rule that refuses", async () => {
    const [difference] = await diffOf(SHOP, edit("lte: 600", "lte: 400"));
    expect(difference?.divergences[0]?.ruleId).toBe(difference?.changes[0]?.newRule);
    expect(difference).toMatchObject({ pack: "shop", isLoosened: false, isTightened: true });
  });
});

describe("the packs of a workflow", () => {
  const files = filesOf("code-review");
  const old = compiled(files);

  async function diffAfter(
    file: string,
    trail: readonly (string | number)[],
    key: string,
  ): Promise<readonly Difference[]> {
    const artifact = compiled(edited(files, file, trail, (container) => Reflect.deleteProperty(container, key)));
    if (old === null || artifact === null) throw new Error("the example does not compile");
    return await diffPacks(old, artifact, { bounds: BOUNDS, wording: sentenceOf });
  }

  it("are compared each with its own, under its role", async () => {
    const differences = await diffAfter("packs/worker/read_file.yaml", [], "execution_constraints");
    expect(differences.map(({ pack }) => pack)).toEqual(["review-worker"]);
    expect(summary(differences)).toBe("removed rule: +read_file");
  });

  it("count as loosened where one came, and as tightened where one went", async () => {
    if (old === null) throw new Error("the example does not compile");
    const fewer = { ...old, packs: old.packs.slice(0, -1) };
    const given = { bounds: BOUNDS, wording: sentenceOf };
    expect(await diffPacks(fewer, old, given)).toMatchObject([{ isLoosened: true, isTightened: false }]);
    expect(await diffPacks(old, fewer, given)).toMatchObject([{ isLoosened: false, isTightened: true }]);
  });

  it("may be alike while the workflow differs", async () => {
    const differences = await diffAfter("workflow.yaml", ["workflow_limits"], "max_sessions");
    expect(summary(differences)).toBe("changed setting: ");
    expect(differences[0]?.changes[0]?.name).toBe("workflow: max sessions");
    // Workflows are read, never searched.
    expect(renderText(differences)).toMatch(/^Changed: calls that are judged differently were not searched for\n/);
  });
});

describe("a pack and a workflow", () => {
  it("are compared by reading, because no call is judged under a root without tools", async () => {
    const [single, workflow] = [filesOf("minimal"), filesOf("code-review")].map(compiled);
    if (!single || !workflow) throw new Error("an example does not compile");
    for (const [old, current] of [
      [single, workflow],
      [workflow, single],
    ] as const) {
      const differences = await diffPacks(old, current, { bounds: { depth: 5, states: 20 }, wording: sentenceOf });
      expect(differences[0]).toMatchObject({ isSearched: false, divergences: [] });
      expect(differences[0]?.changes).not.toEqual([]);
    }
  });
});

describe("a condition that no principal meets", () => {
  it("is compared with principals that a guard starts with", async () => {
    const pay = "#== pay.yaml (with the required fields)\n";
    const found = await diffOf(pay, `${pay}policy: { allow: [{ principal: { path: "$", equals: 5 } }] }\n`);
    expect(summary(found)).toContain("-pay");
  });
});
