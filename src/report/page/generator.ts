/** Marks a page as one of ours, so that it may be overwritten. */
export const GENERATOR = '<meta name="generator" content="contract-guard">';

/** Whether a text is such a page. */
export function isPage(text: string): boolean {
  return text.slice(0, 200).includes(GENERATOR);
}
