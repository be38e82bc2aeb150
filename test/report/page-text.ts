/** What a reader sees of markup. */
export function textOf(page: string): string {
  return page
    .replace(/<(script|style)[^>]*>.*?<\/\1>/gs, "")
    .replace(/<[^>]*>/g, "")
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
}

/** The line at the top that says how good the whole is. */
export function verdictOf(page: string): string {
  return textOf(/<p class="verdict[^>]*>.*?<\/p>/s.exec(page)?.[0] ?? "");
}

/** The markup of one section; empty where there is none. */
export function sectionOf(page: string, id: string): string {
  const start = page.indexOf(`<details class="section" id="${id}"`);
  return start === -1 ? "" : page.slice(start, page.indexOf("\n</details>\n", start));
}
