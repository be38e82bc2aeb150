/** How a page that was written here is known again. */
export const GENERATOR = '<meta name="generator" content="contract-guard">';

/** Whether a text is a page that was written here. */
export function isPage(text: string): boolean {
  return text.slice(0, 200).includes(GENERATOR);
}
