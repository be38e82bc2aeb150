import { describe, expect, it } from "vitest";
import { compileFolder } from "../../../src/compiler/compile-pack.js";
import { withPack } from "../../support/pack-text.js";

const REST = `#== session.yaml (with the required fields)
phases:
  - { name: open, initial: true }
  - { name: closed, terminal: true }
  - { name: dropped, terminal: true }
transitions: { open: [closed, dropped] }
policy:
  label_gates:
    - { when_label: fraud, deny_tools: [refund], reason: "Fraud is suspected" }
#== verify.yaml (with the required fields)
#== refund.yaml (with the required fields)
`;

const compiled = (text: string) => withPack(text, (folder) => compileFolder(folder));

function claimsIn(lines: string) {
  return compiled(`#== claims.yaml\nschema_version: "1.0"\nclaims:\n${lines}${REST}`).claims[0];
}

describe("the claims of a pack", () => {
  it("keep their order, their place and their reason", () => {
    const claims = claimsIn(`  - at_most: { tool: refund, calls: 2 }
    reason: "Two a day"
  - never: { tool: refund, after: verify }
`);
    expect(claims).toEqual([
      { at: { file: "claims.yaml", line: 3 }, reason: "Two a day", kind: "at_most", tool: "refund", calls: 2 },
      { at: { file: "claims.yaml", line: 5 }, reason: null, kind: "never_after", tool: "refund", after: "verify" },
    ]);
  });

  it.each([
    [
      "never: { tool: refund, without_prior: verify }",
      { kind: "never_without_prior", tool: "refund", prior: "verify" },
    ],
    ["never: { tool: refund, when_label: fraud }", { kind: "never_when_label", tool: "refund", label: "fraud" }],
    ["always_possible: { reach: open }", { kind: "always_possible", reach: ["open"] }],
    ["always_possible: { reach: terminal }", { kind: "always_possible", reach: ["closed", "dropped"] }],
    ["at_most: { tool: refund, calls: 0 }", { kind: "at_most", tool: "refund", calls: 0 }],
    ["requires_approval: { tool: refund }", { kind: "requires_approval", tool: "refund", when: [] }],
  ])("say what is written: %s", (text, body) => {
    expect(claimsIn(`  - ${text}\n`)).toEqual([{ at: { file: "claims.yaml", line: 3 }, reason: null, ...body }]);
  });

  it("have their conditions as a checkpoint has them", () => {
    const [claim] = claimsIn("  - requires_approval: { tool: refund, when: [{ path: $.amount, gte: 500 }] }\n") ?? [];
    expect(claim).toMatchObject({
      when: [
        {
          at: { file: "claims.yaml", line: 3 },
          path: { kind: "definite", text: "$.amount", steps: ["amount"] },
          operators: [{ op: "gte", value: 500 }],
        },
      ],
    });
  });

  it("change nothing in the artifact", () => {
    const claims = '#== claims.yaml\nschema_version: "1.0"\nclaims: [{ at_most: { tool: refund, calls: 2 } }]\n';
    const without = compiled(REST).artifact;
    expect(without).not.toBeNull();
    expect(compiled(claims + REST).artifact).toEqual(without);
  });

  it("are listed by pack, in the order of the artifact's packs", () => {
    const text = `#== workflow.yaml (with the required fields)
roles:
  - { name: clerk, session_contract: packs/clerk/session.yaml }
  - { name: auditor, session_contract: packs/auditor/session.yaml }
#== packs/auditor/session.yaml (with the required fields)
#== packs/auditor/look.yaml (with the required fields)
#== packs/auditor/claims.yaml (with the required fields)
claims: [{ at_most: { tool: look, calls: 9 } }]
#== packs/clerk/session.yaml (with the required fields)
#== packs/clerk/pay.yaml (with the required fields)
#== packs/clerk/claims.yaml (with the required fields)
claims: [{ at_most: { tool: pay, calls: 1 } }]
`;
    const { artifact, claims } = compiled(text);
    expect(artifact?.packs.map(({ folder }) => folder)).toEqual(["", "packs/clerk", "packs/auditor"]);
    expect(claims).toMatchObject([
      [],
      [{ at: { file: "packs/clerk/claims.yaml", line: 1 }, tool: "pay", calls: 1 }],
      [{ at: { file: "packs/auditor/claims.yaml", line: 1 }, tool: "look", calls: 9 }],
    ]);
  });

  it("are none where there is no artifact", () => {
    expect(compiled(`#== claims.yaml\nclaims: []\n${REST}`)).toMatchObject({ artifact: null, claims: [] });
  });
});
