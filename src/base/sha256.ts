import { crypto } from "./crypto.js";

/** The SHA-256 of the UTF-8 of a text, in hex. Node 20.12 and later can do that in one call, without an object that is a stream too. */
export function sha256(text: string): string {
  const { createHash, hash } = crypto();
  return typeof hash === "function" ? hash("sha256", text) : createHash("sha256").update(text, "utf8").digest("hex");
}
