import type { Page } from "playwright-core";

/** Presses Tab until the focus is on an element that the selector matches; false where it never comes there. */
export async function tabTo(page: Page, selector: string, most = 150): Promise<boolean> {
  for (let presses = 0; presses < most; presses += 1) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return true;
  }
  return false;
}

/** Runs in the page: texts that differ too little from what is behind them (WCAG 2 AA: 4.5 to 1). */
const FAINT = `(() => {
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const channel = (value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const light = (color) => {
    const [red, green, blue] = numbers(color).map(channel);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const isClear = (color) => color === "transparent" || numbers(color)[3] === 0;
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if (!isClear(backgroundColor)) return backgroundColor;
    }
    return "rgb(255, 255, 255)";
  };
  const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  const texts = [...document.querySelectorAll("body *:not(script):not(style):not([aria-disabled=true])")].filter((element) =>
    element.checkVisibility() && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ""));
  return texts.flatMap((element) => {
    const style = getComputedStyle(element);
    const ink = element instanceof SVGElement ? style.fill : style.color;
    const found = ratio(light(ink), light(behind(element)));
    return found < 4.5 ? [element.tagName + "." + element.className + " " + element.textContent.slice(0, 30) + ": " + found.toFixed(2)] : [];
  });
})()`;

/** Texts of the page that are hard to read for want of contrast. */
export async function faintTexts(page: Page): Promise<readonly string[]> {
  const found: string[] = await page.evaluate(FAINT);
  return [...new Set(found)];
}

/** Headings that can be seen and are more than one level below the one before. */
export async function skippedHeadings(page: Page): Promise<readonly string[]> {
  return page.evaluate(`[...document.querySelectorAll("h1,h2,h3,h4,h5,h6")]
    .filter((heading) => heading.checkVisibility())
    .flatMap((heading, index, all) => {
      const before = index === 0 ? 0 : Number(all[index - 1].tagName[1]);
      return Number(heading.tagName[1]) > before + 1 ? [heading.tagName + " " + heading.textContent] : [];
    })`);
}

/** Whether the page as a whole is wider than its window. */
export async function overflows(page: Page): Promise<boolean> {
  return page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth");
}

/** The phase that is marked as the current one in the drawing, and the tool as the called one. */
export async function marked(page: Page): Promise<{ readonly phase: string; readonly tool: string }> {
  const textOf = async (selector: string) => (await page.locator(selector).first().textContent()) ?? "";
  return { phase: await textOf(".machine .current .title"), tool: await textOf(".machine .called .call") };
}
