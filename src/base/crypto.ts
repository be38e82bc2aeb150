import { createRequire } from "node:module";

type Crypto = typeof import("node:crypto");

let loaded: Crypto | undefined;

/**
 * Node's cryptography, loaded when it is first used: that takes a third of the time of importing the guard, and many processes that
 * import it hash nothing.
 */
export function crypto(): Crypto {
  loaded ??= load();
  return loaded;
}

function load(): Crypto {
  return createRequire(import.meta.url)("node:crypto");
}
