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
