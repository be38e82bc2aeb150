import { describe, expect, it } from "vitest";
import { DEFAULT_BOUNDS } from "../../src/analysis/default-bounds.js";
import { diffPacks } from "../../src/analysis/diff/diff-packs.js";
import { renderText } from "../../src/analysis/diff/render/render-text.js";
import type { Trace } from "../../src/analysis/trace/trace.js";
import { verify } from "../../src/analysis/verify.js";
import { PackRules } from "../../src/artifact/pack-rules.js";
import { traceLines } from "../../src/cli/verification/trace-text.js";
import { verdictFacts } from "../../src/report/page/step-view.js";
import { sentenceOf } from "../../src/report/sentences.js";
import { artifactOf } from "../support/guard-artifact.js";

const PACK = `#== session.yaml (with the required fields)
schema_version: "1.1"
policy:
  rules: [{ deny: { principal: { path: $.suspended, equals: true }, tools: [look], reason: Suspended people see nothing } }]
#== look.yaml (with the required fields)
assertions: { input_invariants: [], output_invariants: [{ path: $.ok, equals: true, reason: The shop answers }] }
policy:
  allow:
    - { principal: { path: $.role, equals: clerk }, reason: Clerks look }
    - { principal: { path: $.role, equals: guest } }
#== pay.yaml (with the required fields)
side_effect: financial
preconditions: [{ requires_prior_tool: look, reason: Look before you pay }]
policy: { allow: [{ principal: { path: $.role, equals: clerk }, reason: Clerks pay }] }
argument_value_invariants: [{ path: $.amount, lte: 500, reason: Large payments are made by hand. }]
checkpoint: { when: [{ path: $.to, equals: abroad }], timeout_seconds: 60, reason: Payments abroad are checked }
`;

const ARTIFACT = artifactOf(PACK);
const [COMPILED] = ARTIFACT.packs;
if (COMPILED === undefined) throw new Error("no pack");
const RULES = new PackRules(COMPILED);

async function traceOf(kind: string): Promise<Trace> {
  const [found] = await verify(ARTIFACT, [], DEFAULT_BOUNDS);
  const trace = found?.rules.find(({ rule }) => rule.startsWith(`${kind}@`))?.trace;
  if (trace === undefined || trace === null) throw new Error(`no witness of ${kind}`);
  return trace;
}

function diffOf(from: string, to: string) {
  const changed = artifactOf(PACK.replace(from, to));
  return diffPacks(ARTIFACT, changed, { bounds: DEFAULT_BOUNDS, wording: sentenceOf });
}

describe("the reason of a rule", () => {
  it("comes before the rule in words", () => {
    const sentences = RULES.all.map(sentenceOf);
    expect(sentences).toContain("Look before you pay. Needs an earlier call of `look`.");
    expect(sentences).toContain("Large payments are made by hand. The argument $.amount must be at most 500.");
    expect(sentences).toContain('Clerks pay. Allowed only for callers with $.role equal to "clerk".');
    expect(sentences).toContain("Suspended people see nothing. Refused for callers with $.suspended equal to true.");
    expect(sentences).toContainEqual(expect.stringMatching(/^The shop answers\. In the result \$\.ok must/));
    expect(sentences).toContainEqual(expect.stringMatching(/^Payments abroad are checked\. A person must approve/));
  });

  it("stands beside its own entry where any of several may be meant", () => {
    expect(RULES.all.map(sentenceOf)).toContain(
      'Allowed only for callers with $.role equal to "clerk" (Clerks look); or for callers with $.role equal to "guest".',
    );
  });

  it("ends the line of a witness, and is the first fact of its step", async () => {
    const trace = await traceOf("argument_invariant");
    expect(traceLines(trace).at(-1)).toMatch(
      /REFUSED: argument_invariant_failed, because: Large payments are made by hand\.$/,
    );
    const last = trace.steps.at(-1);
    const facts = last?.kind === "call" ? verdictFacts(last.verdict) : [];
    expect(facts[0]).toEqual(["Because", "Large payments are made by hand."]);
  });

  it("comes with a withheld output and with an approval", async () => {
    const withheld = await traceOf("output_invariant");
    expect(traceLines(withheld).at(-1)).toMatch(/withheld: output_invariant_failed, because: The shop answers\)$/);
    const asked = (await traceOf("checkpoint")).steps.at(-1);
    expect(asked).toMatchObject({ verdict: { kind: "approval", because: "Payments abroad are checked" } });
  });

  it("is a change when it is reworded, and no rule is weaker", async () => {
    const differences = await diffOf("Look before you pay", "Nobody pays blindly");
    expect(differences).toMatchObject([{ isLoosened: false, isTightened: false }]);
    expect(differences[0]?.changes).toMatchObject([
      {
        kind: "changed",
        direction: "same",
        before: "Look before you pay. Needs an earlier call of `look`.",
        after: "Nobody pays blindly. Needs an earlier call of `look`.",
      },
    ]);
    expect(renderText(differences)).toContain("Nobody pays blindly");
  });

  it("is part of the session that shows a loosened rule", async () => {
    const [difference] = await diffOf("lte: 500", "lte: 400");
    const [divergence] = difference?.divergences ?? [];
    expect(divergence?.trace.steps.at(-1)).toMatchObject({
      verdict: { kind: "block", because: "Large payments are made by hand." },
    });
  });
});
