import { describe, expect, it } from "vitest";
import { compileFolder } from "../../../src/compiler/compile-pack.js";

const CONTRACTS = new URL("../../../contracts/", import.meta.url).pathname;

/** As compiled before language version 1.1 came. */
const HASHES = [
  ["code-review", "sha256-a911ba241c01e31387b7c3ebe022f228d93dfa7726ac5139765b1fa68341adb8"],
  ["minimal", "sha256-da6953bae58557bbe622f1d11bc0f18d0558b834d866a6c517d997d3454e5c89"],
  ["trading", "sha256-5301218c65a6c737ff6bce1c139c2ffc061b9c1b9c5120422ace56a072f5eccb"],
] as const;

describe("a pack of language version 1.0", () => {
  it.each(HASHES)("such as %s keeps its hash", (name, hash) => {
    expect(compileFolder(`${CONTRACTS}${name}`).artifact?.hash).toBe(hash);
  });
});
