import { describe, expect, it } from "vitest";
import type { StepOutcome, StepVerdict, TraceStep } from "../../src/analysis/trace/trace.js";
import { PackRules } from "../../src/artifact/pack-rules.js";
import { clean } from "../../src/base/clean.js";
import { coverageOf } from "../../src/report/coverage.js";
import { html, scriptJson } from "../../src/report/markup.js";
import { renderPage } from "../../src/report/page/page.js";
import type { StepView } from "../../src/report/page/step-view.js";
import type { TraceView } from "../../src/report/page/trace-book.js";
import type { ReportContent } from "../../src/report/report-content.js";
import { sentenceOf } from "../../src/report/sentences.js";
import { artifactOf } from "../support/guard-artifact.js";
import { bareContent, exampleArtifact, refundsDifference, refundsVerification } from "./content.js";
import { HOSTILE, hostileArtifact } from "./hostile-names.js";
import { textOf, verdictOf } from "./page-text.js";

const EXAMPLES = ["minimal", "refunds", "trading", "code-review"] as const;

async function verified(): Promise<ReportContent> {
  const artifact = exampleArtifact("refunds");
  return { ...bareContent(artifact), verifications: [await refundsVerification(artifact)] };
}

describe("markup", () => {
  it("escapes every text that comes in by a placeholder, and no markup twice", () => {
    expect(html`<p title="${`a"'<`}">${["<b>", html`<i>${"&"}</i>`, 3, null]}</p>`.markup).toBe(
      '<p title="a&#34;&#39;&#60;">&#60;b&#62;<i>&#38;</i>3</p>',
    );
  });

  it("writes JSON that cannot end its script, and that is the same JSON but for what could turn it around", () => {
    const { markup } = scriptJson({ [HOSTILE]: [HOSTILE], lines: "{\n  1\n}" });
    expect(markup).not.toMatch(/[<>&\u2028\u2029]/);
    expect(JSON.parse(markup)).toEqual({ [HOSTILE]: [clean(HOSTILE)], lines: "{\n  1\n}" });
  });
});

describe("a report", () => {
  it.each(EXAMPLES)("has every rule of the pack as a sentence: %s", (name) => {
    const artifact = exampleArtifact(name);
    const sections = renderPage(bareContent(artifact)).split('<details class="section"');
    const text = textOf(sections.filter((section) => /^ id="p\d+rules"/.test(section)).join("<hr>"));
    const rules = artifact.packs.flatMap((pack) => new PackRules(pack).all);
    expect(rules.length).toBeGreaterThan(0);
    expect(rules.map(sentenceOf).filter((sentence) => !text.includes(sentence.replaceAll("`", "")))).toEqual([]);
  });

  it("keeps hostile names from being markup or script", async () => {
    const artifact = hostileArtifact();
    const [pack] = artifact.packs;
    const trace = {
      principal: { [HOSTILE]: HOSTILE },
      env: { [HOSTILE]: HOSTILE },
      steps: [
        {
          kind: "call",
          tool: HOSTILE,
          args: { [HOSTILE]: HOSTILE },
          verdict: { kind: "block", reason: "guard_fault", rule: null, required: HOSTILE, found: HOSTILE },
          outcome: null,
          phase: HOSTILE,
        },
      ],
    } as const;
    const page = renderPage({
      ...bareContent(artifact),
      sources: HOSTILE,
      findings: [{ severity: "error", code: HOSTILE, message: HOSTILE, file: HOSTILE, line: 1, help: HOSTILE }],
      verifications: [
        {
          pack: pack?.agent ?? "",
          bounds: { depth: 1, states: 1, explored: 1, hit: [] },
          rules: [],
          tools: [{ tool: HOSTILE, status: "allowed", by: null, because: null, met: [], trace, miss: null }],
          claims: [
            {
              at: { file: HOSTILE, line: 1 },
              text: HOSTILE,
              status: "violated",
              by: null,
              because: null,
              rules: [],
              states: 1,
              met: [],
              trace,
            },
          ],
          stuck: [{ phase: HOSTILE, cause: "rules", isProved: true, trace }],
        },
      ],
    });
    expect(page.match(/<script/g)).toHaveLength(2);
    expect(page.match(/<\/script/g)).toHaveLength(2);
    expect(page).not.toMatch(/<img|<!--|[\u2028]<\/script/);
    expect(page.replace(/"[^"]*"/g, '""')).not.toMatch(/<[a-z][^>]*\son[a-z]+=/);
    const [, data = ""] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page) ?? [];
    expect(JSON.parse(data).steps[0].title).toBe(clean(HOSTILE));
  });

  it.each(EXAMPLES)("names no place on the network, and lets nothing be loaded: %s", (name) => {
    const page = renderPage(bareContent(exampleArtifact(name)));
    expect(page).toContain("content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\"");
    expect(page.replaceAll("http://www.w3.org/2000/svg", "")).not.toMatch(/https?:|url\((?!#)|@import|\ssrc=/);
  });

  it("says at the top what was shown", async () => {
    expect(verdictOf(renderPage(await verified()))).toMatch(
      /^\d+ rules, \d+ shown to fire, 4 seen only together with others; 1 claim proved, 1 claim violated$/,
    );
    const bare = bareContent(exampleArtifact("minimal"));
    const finding = { severity: "warning", code: "c", message: "m", file: "f", line: 1, help: null } as const;
    expect(verdictOf(renderPage({ ...bare, findings: [finding, finding] }))).toMatch(
      /^\d+ rules?, not verified; 2 warnings$/,
    );
  });

  it("says that verification was not run where it was not", async () => {
    const words = "Verification was not run";
    expect(textOf(renderPage(bareContent(exampleArtifact("refunds"))))).toContain(words);
    expect(textOf(renderPage(await verified()))).not.toContain(words);
  });

  it("puts every kind of step into words", async () => {
    const artifact = exampleArtifact("refunds");
    const at = { file: "a.yaml", line: 1 };
    const call = (verdict: StepVerdict, outcome: StepOutcome | null): TraceStep => {
      return {
        kind: "call",
        tool: "get_order",
        args: { order_id: "1", deep: { a: [1] } },
        verdict,
        outcome,
        phase: "intake",
      };
    };
    const blocked = { kind: "block", reason: "loop_detected", rule: null, required: "r", found: "f" } as const;
    const violated = { kind: "violated", output: 3, reason: "output_not_json", rule: at } as const;
    const steps: readonly TraceStep[] = [
      call({ kind: "allow" }, { kind: "result", output: {} }),
      call({ kind: "approval", rules: [at] }, violated),
      call({ kind: "allow" }, { kind: "failed" }),
      call({ kind: "allow" }, { kind: "open" }),
      { kind: "settle", tool: "get_order", output: { ok: true }, phase: "intake" },
      call(blocked, null),
      { kind: "step", phase: "intake" },
      { kind: "label", label: "seen", phase: "intake" },
      { kind: "cost", usd: 2, phase: "verified" },
    ];
    const verification = await refundsVerification(artifact);
    const trace = { principal: { type: "agent" }, env: { MODE: "test" }, steps };
    const stuck = [{ phase: null, cause: "label", isProved: false, trace } as const];
    const page = renderPage({ ...bareContent(artifact), verifications: [{ ...verification, stuck }] });
    const [, data = ""] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page) ?? [];
    const { traces: views, steps: all }: { traces: readonly TraceView[]; steps: readonly StepView[] } =
      JSON.parse(data);
    const view = views.find(({ title }) => title.startsWith("A session that cannot end"));
    const shown = view?.steps.flatMap((number) => all[number] ?? []);
    const lines = shown?.map(({ title, facts }) => [title, ...facts.map((fact) => fact.join(": "))].join("; "));
    expect(view?.setting).toBe('The caller: type: "agent". In the environment MODE is "test".');
    expect(lines).toEqual([
      'get_order; Arguments: order_id: "1"\ndeep: {"a":[1]}; Verdict: allowed; Answer: nothing',
      'get_order; Arguments: order_id: "1"\ndeep: {"a":[1]}; Verdict: allowed after a person approves (a.yaml:1); Answer: 3; Result: withheld: the tool answered, but its output is not JSON; the effect is counted (a.yaml:1)',
      'get_order; Arguments: order_id: "1"\ndeep: {"a":[1]}; Verdict: allowed; Answer: none: the call could not be sent',
      'get_order; Arguments: order_id: "1"\ndeep: {"a":[1]}; Verdict: allowed; Answer: none yet: the call is still running',
      "get_order answers; Answer: ok: true",
      'get_order; Arguments: order_id: "1"\ndeep: {"a":[1]}; Verdict: refused: the same call was repeated too often; Required: r; Found: f',
      "The next turn of the model begins",
      "The session gets the label seen",
      "The session costs 2 USD more",
    ]);
    expect(shown?.at(-1)).toMatchObject({ tool: null, from: 0, to: 1 });
  });

  it("links to sources, whatever their names, and to none where there are none", () => {
    const content = bareContent(exampleArtifact("refunds"));
    expect(renderPage({ ...content, sources: "../a b/java:script" })).toContain(
      'href="../a%20b/java%3Ascript/issue_refund.yaml#L',
    );
    expect(renderPage({ ...content, sources: "javascript:alert(1)" })).not.toMatch(/href="javascript/);
    expect(renderPage(content)).not.toContain("issue_refund.yaml#L");
  });

  it("says where values are remembered and compared", () => {
    const text = textOf(renderPage(bareContent(exampleArtifact("refunds"))));
    expect(text).toMatch(
      /\$\.refund_id of its result as refund_id for each \$\.order_id of its arguments issue_refund\.yaml:\d+/,
    );
    expect(text).toMatch(/\$\.refund_id of the result of issue_refund issue_refund\.yaml:\d+/);
    expect(text).toMatch(/required for send_receipt: [^:]+ send_receipt\.yaml:\d+/);
    expect(text).not.toContain("nothing reads it");
    expect(text).toMatch(/\$\.customer_id of check_eligibility must equal it check_eligibility\.yaml:\d+/);
  });

  it("does not speak of phases to a tool of a pack without any", () => {
    const text = textOf(renderPage(bareContent(exampleArtifact("minimal"))));
    expect(text).toContain("May be calledat any time, as far as its rules allow");
    expect(text).not.toMatch(/in every phase|the phase stays/);
  });

  it("does not draw what would take too long, and shows the rest", () => {
    const names = Array.from({ length: 600 }, (_, index) => `phase_${index}`);
    const phases = names.map(
      (name, index) => `{ name: ${name}${index === 0 ? ", initial: true" : index === 599 ? ", terminal: true" : ""} }`,
    );
    const transitions = names.slice(1).map((name, index) => `  ${names[index]}: [${name}]`);
    const content = bareContent(
      artifactOf(`
#== session.yaml (with the required fields)
phases: [${phases.join(", ")}]
transitions:
${transitions.join("\n")}
#== look.yaml (with the required fields)
`),
    );
    const page = renderPage(content);
    expect(page).not.toContain("<svg");
    expect(textOf(page)).toContain("too many phases to draw");
    expect(textOf(page)).toContain("phase_599");
  });

  it("marks what changed, and only then speaks of changes", async () => {
    const content = bareContent(exampleArtifact("refunds"));
    const page = renderPage({ ...content, difference: [await refundsDifference(content.artifact)] });
    expect(page).toContain('class="phase changed"');
    expect(page).toContain('class="tool changed"');
    expect(textOf(page)).toContain("Some calls that were refused are allowed now.");
    expect(renderPage(content)).not.toMatch(/"(?:phase|tool) changed"|p0changes/);
  });

  it("shows how often parts were used, and what never was", () => {
    const content = bareContent(exampleArtifact("refunds"));
    const line = { tool: "verify_identity", kind: "allow", callId: "c1" };
    const settled = { callId: "c1", accepted: true, ending: "committed" };
    const result = coverageOf(content.artifact, `${JSON.stringify(line)}\n${JSON.stringify(settled)}`);
    if (!result.ok) throw new Error(result.problem);
    const text = textOf(renderPage({ ...content, coverage: result.coverage }));
    expect(text).toContain("verify_identity1 ×");
    expect(text).toContain("Read: 1 call of 1 session.");
    expect(text).toContain("never exercised");
    expect(textOf(renderPage(content))).not.toContain("exercised");
  });
});
