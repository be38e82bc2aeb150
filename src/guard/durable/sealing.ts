/** Encrypts what is stored, and decrypts it. Both may be asynchronous. */
export interface Sealing {
  /** A text that hides the given one. */
  seal(text: string): string | Promise<string>;
  /** The text that was sealed. */
  open(sealed: string): string | Promise<string>;
}

/** The pair of functions that somebody was given; null without one. */
export function sealingOf({ seal, open }: Partial<Sealing>): Sealing | null {
  return seal === undefined || open === undefined ? null : { seal, open };
}

async function textFrom(name: string, given: unknown): Promise<string> {
  const text: unknown = await given;
  if (typeof text === "string") return text;
  throw new TypeError(`\`${name}\` returned no text`);
}

/** Seals a value as JSON. */
export async function sealed({ seal }: Sealing, value: unknown): Promise<string> {
  return textFrom("seal", seal(JSON.stringify(value)));
}

/** The value that was sealed. */
export async function opened({ open }: Sealing, text: string): Promise<unknown> {
  return JSON.parse(await textFrom("open", open(text)));
}
