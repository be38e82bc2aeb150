import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clean } from "../../src/base/clean.js";
import { coverageOf } from "../../src/report/coverage.js";
import type { ReportContent } from "../../src/report/report-content.js";
import { artifactOf } from "../support/guard-artifact.js";
import { chromium } from "./chromium.js";
import { bareContent, exampleArtifact, refundsDifference, refundsVerification } from "./content.js";
import { HOSTILE, hostileArtifact } from "./hostile-names.js";
import { largePack } from "./large-pack.js";
import { faintTexts, marked, overflows, tabTo } from "./page-checks.js";
import { launch, openReport } from "./report-page.js";

const found = chromium();
const skipped = "missing" in found ? ` (skipped: ${found.missing})` : "";

async function refunds(): Promise<ReportContent> {
  const artifact = exampleArtifact("refunds");
  const verifications = [await refundsVerification(artifact)];
  return { ...bareContent(artifact), sources: "contracts/refunds", verifications };
}

/** Everything a report can have at once. */
async function full(): Promise<ReportContent> {
  const content = await refunds();
  const lines = [
    { tool: "get_order", kind: "allow", callId: "a" },
    { tool: "verify_identity", kind: "allow", callId: "b" },
    { callId: "b", accepted: true, ending: "committed" },
  ];
  const coverage = coverageOf(content.artifact, lines.map((line) => JSON.stringify(line)).join("\n"));
  const finding = {
    severity: "warning",
    code: "unused_bind",
    message: "`refund_note` is bound and never read",
    file: "issue_refund.yaml",
    line: 12,
    help: "compare something with it, or drop it",
  } as const;
  return {
    ...content,
    findings: [finding],
    difference: [await refundsDifference(content.artifact)],
    coverage: coverage.ok ? coverage.coverage : null,
  };
}

const toolInDrawing = '.machine a[data-tool][aria-label^="tool issue_refund,"]';
const witness = '#p0rules .rule:has-text("A refund must not exceed") [data-trace]';

describe.skipIf(skipped !== "")(`the report in Chromium${skipped}`, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launch("path" in found ? found.path : "");
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
  });

  it.each(["minimal", "refunds", "trading", "code-review"])(
    "opens from a file without a complaint: %s",
    async (name) => {
      const { page, complaints, shoot } = await openReport(browser, bareContent(exampleArtifact(name)));
      expect(await page.locator(".machine").first().isVisible()).toBe(true);
      await shoot(`${name}-wide-light`);
      expect(complaints).toEqual([]);
    },
  );

  it.each([
    ["wide", 1400, "light"],
    ["wide", 1400, "dark"],
    ["narrow", 480, "light"],
    ["narrow", 480, "dark"],
  ] as const)("is readable, with nothing wider than the window: %s, %d pixels, %s", async (name, width, scheme) => {
    const { page, complaints, shoot } = await openReport(browser, await full(), { width, scheme });
    await shoot(`all-${name}-${scheme}`);
    expect(await overflows(page)).toBe(false);
    expect(await faintTexts(page)).toEqual([]);
    for (const part of ["matrix", "rules", "flow", "changes", "use"]) {
      await page.evaluate(`document.getElementById("p0${part}").scrollIntoView()`);
      await shoot(`all-${name}-${scheme}-${part}`);
    }
    await page.locator(toolInDrawing).first().click();
    await shoot(`all-${name}-${scheme}-panel`);
    expect(await faintTexts(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.locator(witness).click();
    await page.keyboard.press("ArrowRight");
    await shoot(`all-${name}-${scheme}-player`);
    expect(await faintTexts(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("shows all that governs a tool when it is chosen, in the drawing or in a table", async () => {
    const { page } = await openReport(browser, await refunds());
    await page.locator(toolInDrawing).first().click();
    const panel = page.locator("#panel");
    const text = (await panel.textContent()) ?? "";
    for (const words of [
      "Money goes to nobody whose identity was not checked. Needs an earlier call of verify_identity.",
      "A person must approve when $.amount is at least 500",
      "A session has at most 30 steps.",
      "$.refund_id of its result as refund_id for each $.order_id of its arguments",
      "shown to fire",
      "financial",
    ]) {
      expect(text).toContain(words);
    }
    expect(await panel.locator(".place").first().getAttribute("href")).toMatch(
      /^.\/contracts\/refunds\/issue_refund.yaml#L\d+$/,
    );
    expect(await page.locator(".machine .chosen").count()).toBeGreaterThan(0);
    await page.locator("#p0matrix a[data-tool]", { hasText: "get_order" }).click();
    expect(await panel.locator("h2").textContent()).toBe("get_order");
    await page.locator(".machine a[data-phase] .title", { hasText: "assessed" }).click();
    expect(await panel.textContent()).toContain("check_eligibility");
  });

  it("steps through a trace over the drawing, by button and by arrow key", async () => {
    const { page } = await openReport(browser, await refunds());
    await page.locator(witness).click();
    expect(await marked(page)).toEqual({ phase: "verified", tool: "verify_identity" });
    await page.locator('[data-player="next"]:visible').click();
    expect(await marked(page)).toEqual({ phase: "assessed", tool: "check_eligibility" });
    expect(await page.locator(".machine .walked").count()).toBe(1);
    await page.keyboard.press("ArrowRight");
    expect(await marked(page)).toEqual({ phase: "assessed", tool: "issue_refund" });
    const step = (await page.locator(".player-step:visible").textContent()) ?? "";
    expect(step).toContain("amount: 701");
    expect(step).toContain("refused: a requirement of the contract does not hold");
    expect(await page.locator('[data-player="next"]:visible').isDisabled()).toBe(true);
    await page.keyboard.press("ArrowLeft");
    expect(await page.locator(".player-count:visible").textContent()).toBe("Step 2 of 3");
    await page.locator('[data-player="last"]:visible').click();
    expect(await page.locator(".player-count:visible").textContent()).toBe("Step 3 of 3");
    await page.keyboard.press("Escape");
    expect(await page.locator(".player:visible, .machine .current").count()).toBe(0);
    expect(await page.evaluate("document.activeElement.dataset.trace !== undefined")).toBe(true);
  });

  it("can be used with the keyboard alone", async () => {
    const { page } = await openReport(browser, await refunds());
    expect(await tabTo(page, "[data-theme-switch]")).toBe(true);
    expect(await tabTo(page, "input[type=search]")).toBe(true);
    expect(await tabTo(page, toolInDrawing)).toBe(true);
    await page.keyboard.press("Enter");
    expect(await page.locator("#panel").isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    expect(await page.locator("#panel").isVisible()).toBe(false);
    expect(await page.evaluate(`document.activeElement.matches(${JSON.stringify(toolInDrawing)})`)).toBe(true);
    expect(await tabTo(page, "[data-trace]")).toBe(true);
    await page.keyboard.press("Enter");
    expect(await page.locator(".player:visible").count()).toBe(1);
    await page.keyboard.press("Escape");
    expect(await page.locator(".player:visible").count()).toBe(0);
  });

  it("changes its colours with the system and with its own switch", async () => {
    const background = "getComputedStyle(document.body).backgroundColor";
    const { page } = await openReport(browser, await refunds());
    const light = await page.evaluate(background);
    await page.locator("[data-theme-switch]").click();
    expect(await page.evaluate(background)).not.toBe(light);
    await page.reload();
    await page.emulateMedia({ colorScheme: "dark" });
    const dark = await page.evaluate(background);
    expect(dark).not.toBe(light);
    await page.locator("[data-theme-switch]").click();
    expect(await page.evaluate(background)).toBe(light);
    await page.locator("[data-theme-switch]").click();
    expect(await page.evaluate(background)).toBe(dark);
  });

  it("prints everything and no controls", async () => {
    const { page, shoot } = await openReport(browser, await refunds());
    expect(await page.locator(".card-body:visible").count()).toBe(0);
    await page.locator("input[type=search]").fill("nothing is called like this");
    await page.emulateMedia({ media: "print" });
    const bodies = await page.locator(".card-body").count();
    await expect.poll(() => page.locator(".card-body:visible").count()).toBe(bodies);
    await expect.poll(() => page.locator("details:not([open])").count()).toBe(0);
    expect(await page.locator("tr[data-name]:visible").count()).toBe(6);
    expect(await page.locator("button:visible, input:visible, #panel:visible").count()).toBe(0);
    await shoot("refunds-print");
    await page.emulateMedia({ media: "screen" });
    await expect.poll(() => page.locator(".card-body:visible").count()).toBe(0);
  });

  it("switches between the packs of a workflow", async () => {
    const { page } = await openReport(browser, bareContent(exampleArtifact("code-review")));
    const visible = page.locator(".pack:visible .pack-name");
    const first = await visible.textContent();
    await page.locator("[data-switch]").nth(1).click();
    expect(await visible.count()).toBe(1);
    expect(await visible.textContent()).not.toBe(first);
    await page.locator(".pack:visible .machine a[data-tool]").first().click();
    expect(await page.locator("#panel h2").textContent()).not.toBe("");
  });

  it("leads from the roles of a workflow to their packs, and from the tools that touch a resource to what governs them", async () => {
    const { page, complaints } = await openReport(browser, bareContent(exampleArtifact("code-review")));
    const visible = page.locator(".pack:visible");
    await page.locator('#workflow .machine a[aria-label="role worker"]').click();
    expect(await visible.getAttribute("id")).toBe("p1");
    await page.locator("#workflow td a[data-go]", { hasText: "orchestrator" }).first().click();
    expect(await visible.getAttribute("id")).toBe("p0");
    await page.locator("#workflow a[data-tool]", { hasText: "edit_file" }).click();
    expect(await visible.getAttribute("id")).toBe("p1");
    expect(await page.locator("#panel h2").textContent()).toBe("edit_file");
    expect(await page.locator(".pack:visible .machine .chosen").count()).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
  });

  it.each([
    [1400, "light"],
    [480, "dark"],
  ] as const)("shows a workflow with nothing wider than the window: %d pixels, %s", async (width, scheme) => {
    const content = { ...bareContent(exampleArtifact("code-review")), sources: "contracts/code-review" };
    const { page, shoot } = await openReport(browser, content, { width, scheme });
    await shoot(`workflow-${width}-${scheme}`);
    expect(await overflows(page)).toBe(false);
    expect(await faintTexts(page)).toEqual([]);
  });

  it("stays readable with 200 tools and 20 phases: counts, search and filters instead of a wall", async () => {
    const { page, complaints, shoot } = await openReport(browser, bareContent(artifactOf(largePack(200))));
    const rows = page.locator("tr[data-name]:visible");
    expect(await page.locator(".machine a[data-tool]").count()).toBe(0);
    expect(await rows.count()).toBe(200);
    await shoot("large-wide-light");
    await page.locator("input[type=search]").fill("case_17");
    expect(await rows.count()).toBe(11);
    expect(await page.locator(".matches").textContent()).toBe("11 of 200 tools");
    await page.locator('[data-filter="effect"]').selectOption("financial");
    expect(await rows.count()).toBe(3);
    await shoot("large-wide-light-filtered");
    await page.locator("input[type=search]").fill("");
    await page.locator('[data-filter="effect"]').selectOption("");
    await page.locator('[data-filter="phase"]').selectOption({ label: "stage_03" });
    expect(await rows.count()).toBe(11);
    await page.locator('[data-filter="phase"]').selectOption("");
    await page.locator(".machine a[data-phase]", { hasText: "stage_03" }).click();
    expect(await page.locator("#panel a[data-tool]").count()).toBe(11);
    await shoot("large-wide-light-phase");
    await page.locator("[data-fit]").click();
    await shoot("large-wide-light-fit");
    expect(complaints).toEqual([]);
  });

  it("shows hostile names as they are and runs none of them", async () => {
    const { page, complaints } = await openReport(browser, bareContent(hostileArtifact()));
    expect(await page.locator("h1").textContent()).toBe(clean(HOSTILE));
    await page.locator("tr[data-name] a[data-tool]").last().click();
    expect(await page.locator("#panel h2").textContent()).toBe(clean(HOSTILE));
    expect(await page.evaluate("window.broken")).toBe(undefined);
    expect(complaints).toEqual([]);
  });
});
