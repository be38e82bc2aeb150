import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium as driver, type Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { renderPage } from "../../src/report/page/page.js";
import type { ReportContent } from "../../src/report/report-content.js";
import { LAUNCH_ARGS } from "./chromium.js";

const SHOTS = new URL("../../test-results/report/", import.meta.url).pathname;

/** Starts the browser that all tests of a file share. */
export async function launch(executablePath: string): Promise<Browser> {
  mkdirSync(SHOTS, { recursive: true });
  return driver.launch({ executablePath, args: [...LAUNCH_ARGS] });
}

/** How a page is opened. */
export interface PageOptions {
  readonly width?: number;
  readonly scheme?: "light" | "dark";
}

/** A report opened from a file, with everything the browser had to complain about and asked for. */
export interface OpenReport {
  readonly page: Page;
  /** Console errors and warnings, uncaught exceptions, and requests for anything but the file. */
  readonly complaints: readonly string[];
  shoot(name: string): Promise<void>;
}

/** Writes the report to a file and opens it as a reader would. */
export async function openReport(
  browser: Browser,
  content: ReportContent,
  options: PageOptions = {},
): Promise<OpenReport> {
  const folder = mkdtempSync(join(tmpdir(), "report-"));
  const file = join(folder, "report.html");
  writeFileSync(file, renderPage(content));
  const { width = 1400, scheme = "light" } = options;
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: scheme });
  onTestFinished(async () => {
    await page.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const complaints: string[] = [];
  const url = pathToFileURL(file).href;
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (request.url() !== url) complaints.push(`request for ${request.url()}`);
  });
  await page.goto(url);
  const shoot = async (name: string) => {
    // What comes into view is drawn a frame later.
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    await page.screenshot({ path: join(SHOTS, `${name}.png`) });
  };
  return { page, complaints, shoot };
}
