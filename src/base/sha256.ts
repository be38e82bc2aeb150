import * as crypto from "node:crypto";

function ofHashObject(text: string): string {
  return crypto.createHash("sha256").update(text, "utf8").digest("hex");
}

/** The SHA-256 of the UTF-8 of a text, in hex. Node 20.12 and later can do that in one call, without an object that is a stream too. */
export const sha256: (text: string) => string =
  typeof crypto.hash === "function" ? (text) => crypto.hash("sha256", text) : ofHashObject;
