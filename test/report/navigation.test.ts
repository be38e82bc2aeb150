import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ReportContent } from "../../src/report/report-content.js";
import { chromium } from "./chromium.js";
import { bareContent, exampleArtifact, refundsVerification } from "./content.js";
import { skippedHeadings, tabTo } from "./page-checks.js";
import { launch, openReport } from "./report-page.js";

const found = chromium();
const skipped = "missing" in found ? ` (skipped: ${found.missing})` : "";
const aTool = '.machine a[data-tool][aria-label^="tool issue_refund,"]';
const aWitness = '#p0rules .rule:has-text("A refund must not exceed") [data-trace]';

async function refunds(): Promise<ReportContent> {
  const artifact = exampleArtifact("refunds");
  return { ...bareContent(artifact), verifications: [await refundsVerification(artifact)] };
}

describe.skipIf(skipped !== "")(`finding one's way in the report${skipped}`, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launch("path" in found ? found.path : "");
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
  });

  it("folds all parts, leads to each, and gives them back as they were", async () => {
    const { page, complaints } = await openReport(browser, await refunds());
    const open = page.locator(".section[open]");
    const before = await open.count();
    const fold = page.locator("[data-fold]");
    await fold.click();
    expect(await open.count()).toBe(0);
    await page.locator(".contents a", { hasText: "Data flow" }).click();
    expect(await page.locator("#p0flow .flow:visible").count()).toBeGreaterThan(0);
    expect(await page.evaluate("document.activeElement.closest('.section').id")).toBe("p0flow");
    await fold.click();
    expect(await open.count()).toBe(before);
    const targets = await page
      .locator(".contents a")
      .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
    const parts = await page.locator(".section").evaluateAll((sections) => sections.map(({ id }) => `#${id}`));
    expect([...targets].sort()).toEqual([...parts].sort());
    expect(complaints).toEqual([]);
  });

  it("follows a link to a tool", async () => {
    const { page } = await openReport(browser, await refunds());
    await page.evaluate("location.hash = document.querySelector('#p0matrix a[data-tool]').getAttribute('href')");
    await expect.poll(() => page.locator("#panel:visible h2").textContent()).toBe("check_eligibility");
  });

  it("opens a tool with the space bar too, and has no heading out of order", async () => {
    const { page } = await openReport(browser, await refunds());
    expect(await skippedHeadings(page)).toEqual([]);
    expect(await tabTo(page, aTool)).toBe(true);
    await page.keyboard.press("Space");
    expect(await page.locator("#panel:visible h2").textContent()).toBe("issue_refund");
    expect(await skippedHeadings(page)).toEqual([]);
  });

  it("distinguishes the places of a tool in the drawing by name", async () => {
    const { page } = await openReport(browser, await refunds());
    const labels = await page
      .locator(".machine a")
      .evaluateAll((links) => links.map((link) => link.getAttribute("aria-label")));
    expect(new Set(labels).size).toBe(labels.length);
    expect(labels).toContain("tool get_order, in phase verified");
    expect(labels).toContain("tool issue_refund, leads from assessed to refunded");
    expect(labels).toContain("phase closed, sessions may end here");
  });

  it("keeps the focus at the end of a trace, and leaves keys of the browser alone", async () => {
    const { page } = await openReport(browser, await refunds());
    await page.locator(aWitness).click();
    const count = page.locator(".player-count:visible");
    expect(await page.locator(".player-steps:visible li").allTextContents()).toEqual([
      "verify_identity",
      "check_eligibility",
      "issue_refund refused",
    ]);
    await page.locator('[data-player="next"]:visible').focus();
    for (let presses = 0; presses < 4; presses += 1) await page.keyboard.press("Enter");
    expect(await count.textContent()).toBe("Step 3 of 3");
    expect(await page.evaluate("document.activeElement.dataset.player")).toBe("next");
    await page.evaluate(`document.activeElement.dispatchEvent(
      new KeyboardEvent("keydown", { key: "ArrowLeft", altKey: true, bubbles: true }))`);
    expect(await count.textContent()).toBe("Step 3 of 3");
    await page.locator(".canvas:visible").focus();
    await page.keyboard.press("ArrowLeft");
    expect(await count.textContent()).toBe("Step 3 of 3");
  });

  it("finds long numbers with and without their commas", async () => {
    const { page } = await openReport(browser, bareContent(exampleArtifact("trading")));
    const rules = page.locator("#p0rules .rule:visible");
    for (const number of ["5,000,000", "5000000"]) {
      await page.locator("input[type=search]").fill(number);
      expect(await rules.count()).toBe(1);
      expect(await rules.textContent()).toContain("must stay at or below 5,000,000");
    }
  });

  it("counts the tools that nothing holds back", async () => {
    const { page } = await openReport(browser, bareContent(exampleArtifact("trading")));
    const last = page.locator("#p0risk tr > :last-child");
    expect((await last.allTextContents()).map((text) => text.trim().split(" ")[0])).toEqual([
      "None",
      "2",
      "1",
      "0",
      "0",
    ]);
    await last.nth(2).locator("summary").click();
    expect(await last.nth(2).locator("a").textContent()).toBe("approve_risk_check");
  });
});
