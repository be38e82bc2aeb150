/** No cipher: enough to see that nothing reads what is sealed without opening it. */
export function sealedText(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}

export function openedText(sealed: string): string {
  return Buffer.from(sealed, "base64").toString("utf8");
}

/** The value that was sealed. */
export function unsealed(text: string): object {
  return JSON.parse(openedText(text)) as object;
}
