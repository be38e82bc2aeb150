import { describe, expect, it } from "vitest";
import { renderPage } from "../../src/report/page/page.js";
import type { ReportContent } from "../../src/report/report-content.js";
import { artifactOf } from "../support/guard-artifact.js";
import { bareContent, exampleArtifact, refundsVerification } from "./content.js";
import { textOf } from "./page-text.js";

const NAMES = Array.from({ length: 40 }, (_, number) => `pay_${number}`);

/** A sum over forty tools. */
function summed(): ReportContent {
  const contracts = NAMES.map((name) => `#== ${name}.yaml (with the required fields)`);
  return bareContent(
    artifactOf(`
#== session.yaml (with the required fields)
aggregates:
  - { name: paid, metric: sum, tool: [${NAMES.join(", ")}], path: "$.amount", lte: 500, reason: "Enough" }
#== look.yaml (with the required fields)
${contracts.join("\n")}
`),
  );
}

function sectionOf(page: string, id: string): string {
  return page.split('<details class="section"').find((section) => section.startsWith(` id="${id}"`)) ?? "";
}

describe("a rule for many tools", () => {
  it("begins with the first of them, and unfolds the rest", () => {
    const rules = sectionOf(renderPage(summed()), "p0rules");
    expect(textOf(rules)).toMatch(/the sum of \$\.amount of pay_0, pay_1, .*pay_9 and 30 more pay_10, .* must stay/);
    expect(rules).toContain("<summary>and 30 more</summary>");
  });

  it("is not written out in full for each of them", () => {
    const tools = sectionOf(renderPage(summed()), "p0tools");
    expect(textOf(tools)).toContain("pay_9 and 30 more must stay");
    expect(tools.match(/<code>pay_39<\/code>/g)).toHaveLength(1);
  });
});

describe("sessions that begin alike", () => {
  it("are kept as numbers of steps, each step once", async () => {
    const artifact = exampleArtifact("refunds");
    const page = renderPage({ ...bareContent(artifact), verifications: [await refundsVerification(artifact)] });
    const [, data = ""] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page) ?? [];
    const { steps, traces } = JSON.parse(data);
    expect(new Set(steps.map((step: unknown) => JSON.stringify(step))).size).toBe(steps.length);
    expect(traces.flatMap((trace: { steps: readonly number[] }) => trace.steps).length).toBeGreaterThan(
      2 * steps.length,
    );
  });

  it("have buttons that are told apart by the words that are seen, then by what they show", async () => {
    const artifact = exampleArtifact("refunds");
    const page = renderPage({ ...bareContent(artifact), verifications: [await refundsVerification(artifact)] });
    const labels = [...page.matchAll(/data-trace="\d+" aria-label="([^"]*)">([^<]*)</g)];
    expect(labels.length).toBeGreaterThan(10);
    for (const [, label = "", words = ""] of labels) {
      expect(label.startsWith(`${words}: `)).toBe(true);
      expect(label).not.toMatch(/`|\$\.\w/);
    }
  });
});
