import { answerOf, type Wait } from "../session/store.js";
import { StoreUnavailable } from "../session/store-errors.js";
import { BadRecord } from "./log-record.js";

/** Encrypts what is stored, and decrypts it. Both may be asynchronous. */
export interface Sealing {
  /** A text that hides the given one. */
  seal(text: string): string | Promise<string>;
  /** The text that was sealed. */
  open(sealed: string): string | Promise<string>;
}

/** `open` does not give back what was sealed. Its code is shown; the texts are not. */
class UnfitPair extends Error {
  readonly code = "seal_and_open_differ";
}

/**
 * The pair of functions that somebody was given; null without one. The first text is opened again: where the functions do not
 * belong together, what is recorded could never be read.
 */
export function sealingOf({ seal, open }: Partial<Sealing>): Sealing | null {
  if (seal === undefined || open === undefined) return null;
  let isTried = false;
  return {
    open,
    async seal(text) {
      const hidden = await seal(text);
      if (isTried || typeof hidden !== "string") return hidden;
      if ((await open(hidden)) !== text) throw new UnfitPair();
      isTried = true;
      return hidden;
    },
  };
}

/** Keys may be kept elsewhere, so that sealing fails and takes time as a store does: its errors may quote what it was given. */
async function textFrom(what: string, given: () => string | Promise<string>, wait: Wait): Promise<string> {
  const text = await answerOf(what, async () => given(), wait);
  if (typeof text === "string") return text;
  throw new StoreUnavailable(what);
}

/** Seals a value as JSON. */
export function sealed({ seal }: Sealing, value: unknown, wait: Wait): Promise<string> {
  return textFrom("what is recorded could not be sealed", () => seal(JSON.stringify(value)), wait);
}

/** The value that was sealed. */
export async function opened({ open }: Sealing, text: string, wait: Wait): Promise<unknown> {
  const json = await textFrom("what was sealed could not be opened", () => open(text), wait);
  try {
    return JSON.parse(json);
  } catch {
    throw new BadRecord("what was opened is not JSON");
  }
}
