import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renderPage } from "../../src/report/page/page.js";
import type { ReportContent } from "../../src/report/report-content.js";
import { inPack } from "../support/pack-text.js";
import { waitForCli } from "../support/run-cli.js";
import { chromium } from "./chromium.js";
import { HOSTILE } from "./hostile-names.js";
import { faintTexts, overflows, skippedHeadings, tabTo } from "./page-checks.js";
import { sectionOf, textOf, verdictOf } from "./page-text.js";
import { launch, openReport } from "./report-page.js";
import { CROSSED, verifiedContent, verifiedFolder } from "./workflow-content.js";

const EXAMPLE = new URL("../../contracts/code-review", import.meta.url).pathname;
const found = chromium();
const skipped = "missing" in found ? ` (skipped: ${found.missing})` : "";

let content: ReportContent;
let example: ReportContent;

beforeAll(async () => {
  content = { ...(await verifiedContent(CROSSED)), sources: "contracts" };
  example = await verifiedFolder(EXAMPLE);
}, 120_000);

describe("the claims about roles on the page", () => {
  it("have their status, and why they hold or how far was searched", () => {
    const text = textOf(sectionOf(renderPage(content), "workflow-claims"));
    expect(text).toContain("push_branch is never called by a session of the role worker\nviolated claims.yaml:2 Step");
    expect(text).toMatch(
      /role workerProved, because the pack of the role worker has no contract for it.+\nproved claims/,
    );
    expect(text).toMatch(
      /at most 5000 sessionsNo counterexample in 0 states.+\nno counterexample found claims\.yaml:4/,
    );
  });

  it("link to the source, to the role and to the tool in the pack of the role", () => {
    const claims = sectionOf(renderPage(content), "workflow-claims");
    expect(claims).toContain('<a class="place" href="./contracts/claims.yaml#L2">');
    expect(claims).toContain('<a class="name" href="#p1" data-go="1"><code>worker</code></a>');
    expect(claims).toContain('<span data-pack="1"><a class="name" href="#p1t0" data-tool="0"><code>push_branch</code>');
    expect(claims).not.toMatch(/<a[^>]*><code>merge_branch/);
  });

  it("count with those of the packs, and the worst decides", () => {
    const page = renderPage(content);
    expect(verdictOf(page)).toMatch(
      /; 1 claim proved, 1 claim without a counterexample, 1 claim violated; 1 deadlock$/,
    );
    expect(page).toContain('<p class="verdict bad">');
    expect(verdictOf(renderPage(example))).toContain("; 3 claims proved; ");
  });

  it("say so where nothing is claimed, and where nothing was explored", () => {
    const { workflow } = content;
    if (workflow === null) throw new Error("no workflow");
    const silent = renderPage({ ...content, workflow: { ...workflow, claims: [], deadlocks: [] } });
    expect(textOf(sectionOf(silent, "workflow-claims"))).toContain("Nothing is claimed about the roles.");
    expect(textOf(sectionOf(silent, "workflow-deadlocks"))).toContain(
      "No sessions were found that wait for each other.",
    );
    const unexplored = renderPage({ ...content, workflow: null });
    for (const id of ["workflow-claims", "workflow-deadlocks"]) {
      expect(textOf(sectionOf(unexplored, id))).toContain("Verification was not run");
    }
    const single = renderPage({ ...content, artifact: { ...content.artifact, workflow: null }, workflow: null });
    expect(single).not.toMatch(/id="workflow/);
  });
});

describe("the deadlocks on the page", () => {
  it("say who owns and needs what, whether that is proved, and how far was searched", () => {
    const text = textOf(sectionOf(renderPage(content), "workflow-deadlocks"));
    expect(text).toContain(
      'Sessions of reviewer and worker can wait for each other. None of them can finish before another one ends.reviewer-1 owns repository "docs" and needs repository "code" for tag_releaseworker-1 owns repository "code" and needs repository "docs" for push_branch',
    );
    expect(text).toMatch(/workflow\.yaml:\d+ Step through \(7 steps\)/);
    expect(text).toMatch(
      /\d+ states visited, .*, with up to 2 sessions of a role\. What was not found may still exist\./,
    );
    const { workflow } = content;
    const [deadlock] = workflow?.deadlocks ?? [];
    if (workflow === null || deadlock === undefined) throw new Error("no deadlock");
    const doubtful = { ...workflow, deadlocks: [{ ...deadlock, isProved: false }] };
    expect(textOf(renderPage({ ...content, workflow: doubtful }))).toContain("that there is none is not proved.");
  });

  it.each([
    ["warn", ""],
    ["good", "check: workflow_deadlock"],
    ["good", "check: workflow_deadlock, tool: push_branch"],
    ["warn", "check: workflow_deadlock, tool: write_file"],
  ])("make the verdict %s where this is suppressed: %s", async (tone, what) => {
    const text = CROSSED.replace("  - never: { role: worker, tool: push_branch }\n", "");
    const entries = what === "" ? "" : `{ ${what}, reason: "Nobody runs both" }`;
    const suppressed = text.replace(
      "agent: worker-agent",
      `agent: worker-agent\ngraph_analysis: { suppress: [${entries}] }`,
    );
    const { stdout } = await inPack(suppressed, (folder) => waitForCli(["graph", folder, "--format", "html"]));
    expect(verdictOf(stdout)).toMatch(/; 1 deadlock$/);
    expect(/<p class="verdict (\w+)">/.exec(stdout)?.[1]).toBe(tone);
  });

  it("keep hostile names from being markup", () => {
    const escaped = JSON.stringify(HOSTILE).slice(1, -1);
    const names = ["worker", "worker-1", "push_branch", "repository", "docs"];
    const text = names.reduce(
      (json, name) => json.replaceAll(`"${name}"`, () => `"${escaped}${name}"`),
      JSON.stringify(content),
    );
    const page = renderPage(JSON.parse(text));
    expect(page).not.toMatch(/<script>window|<img|<!--/);
    expect(sectionOf(page, "workflow-deadlocks")).toContain("&#60;/script&#62;");
  });
});

describe.skipIf(skipped !== "")(`runs of a workflow in Chromium${skipped}`, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launch("path" in found ? found.path : "");
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
  });

  it("are stepped through over the drawing of the roles, whichever pack is shown", async () => {
    const { page, complaints, shoot } = await openReport(browser, content);
    await page.locator("[data-switch]").nth(1).click();
    await page.locator("#workflow-deadlocks [data-trace]").click();
    expect(await page.locator(".pack:visible").getAttribute("id")).toBe("p1");
    expect(await page.locator(".player:visible").getAttribute("id")).toBe("workflowplayer");
    expect(await page.locator(".player-setting:visible").textContent()).toBe('The caller of worker-1: team: "core".');
    expect(await page.locator(".player-steps:visible li").allTextContents()).toEqual([
      "reviewer-1 starts",
      "reviewer-1 hands off to worker-1",
      "reviewer-1: merge_branch",
      "reviewer-1: tag_release waits for an approval",
      "worker-1: write_file",
      "reviewer-1: the approval of tag_release comes refused",
      "worker-1: push_branch refused",
    ]);
    const current = page.locator(".machine .current .title");
    expect(await current.allTextContents()).toEqual(["reviewer"]);
    await page.keyboard.press("ArrowRight");
    expect(await current.allTextContents()).toEqual(["worker"]);
    expect(await page.locator("#workflow .machine .walked").count()).toBe(1);
    await page.keyboard.press("ArrowRight");
    expect(await current.allTextContents()).toEqual(["reviewer"]);
    const step = page.locator(".player-step:visible");
    expect(await step.textContent()).toContain("Phaseopen → half");
    await page.locator('[data-player="last"]:visible').click();
    expect(await step.textContent()).toMatch(/Found ?reviewer-1Phasehalf \(unchanged\)$/);
    await shoot("workflow-run");
    expect(await faintTexts(page)).toEqual([]);
    await page.keyboard.press("Escape");
    expect(await page.locator(".player:visible, .machine .current").count()).toBe(0);
    expect(await page.evaluate("document.activeElement.closest('.section').id")).toBe("workflow-deadlocks");
    expect(complaints).toEqual([]);
  });

  it("make way for a session of a pack, and the other way round", async () => {
    const { page } = await openReport(browser, content);
    await page.locator("#workflow-claims [data-trace]").click();
    await page.locator("#p0rules [data-trace]").first().click();
    expect(await page.locator(".player:visible").getAttribute("id")).toBe("p0player");
    expect(await page.locator("#workflow .machine .current").count()).toBe(0);
    await page.locator("#workflow-claims [data-trace]").click();
    expect(await page.locator(".player:visible").getAttribute("id")).toBe("workflowplayer");
    expect(await page.locator(".pack .machine .current").count()).toBe(0);
  });

  it("are reached with the keyboard, and their parts from the contents and by a link", async () => {
    const { page } = await openReport(browser, content);
    expect(await tabTo(page, "#workflow-claims [data-trace]")).toBe(true);
    await page.keyboard.press("Enter");
    expect(await page.locator(".player-title:visible").textContent()).toBe(
      "Counterexample: push_branch is never called by a session of the role worker",
    );
    await page.keyboard.press("Escape");
    expect(await page.evaluate("document.activeElement.matches('#workflow-claims [data-trace]')")).toBe(true);
    await page.locator("[data-fold]:visible").click();
    await page.locator(".contents:visible a", { hasText: "Deadlocks" }).click();
    expect(await page.evaluate("document.activeElement.closest('.section').id")).toBe("workflow-deadlocks");
    expect(await page.locator("#workflow-claims[open]").count()).toBe(0);
    await page.evaluate("location.hash = '#workflow-claims'");
    await expect.poll(() => page.locator("#workflow-claims[open]").count()).toBe(1);
  });

  it("lead from the tools that they name to what governs them", async () => {
    const { page } = await openReport(browser, content);
    await page.locator("#workflow-deadlocks a[data-tool]", { hasText: "push_branch" }).click();
    expect(await page.locator(".pack:visible").getAttribute("id")).toBe("p1");
    expect(await page.locator("#panel h2").textContent()).toBe("push_branch");
  });

  it.each([
    ["made-up", 1400, "light"],
    ["made-up", 480, "dark"],
    ["example", 1400, "light"],
    ["example", 480, "dark"],
  ] as const)("are readable, with nothing wider than the window: %s, %d pixels, %s", async (name, width, scheme) => {
    const shown = name === "example" ? example : content;
    const { page, complaints, shoot } = await openReport(browser, shown, { width, scheme });
    await page.evaluate('document.getElementById("workflow-claims").scrollIntoView()');
    await shoot(`workflow-proofs-${name}-${width}-${scheme}`);
    expect(await overflows(page)).toBe(false);
    expect(await faintTexts(page)).toEqual([]);
    expect(await skippedHeadings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
