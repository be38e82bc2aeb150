import { join } from "node:path";
import { expect, it } from "vitest";
import { compilePack } from "../../src/compiler/compile-pack.js";
import { REPOSITORY } from "../support/run-cli.js";

/** From before version 1.1 of the language. A pack that is edited gets another one; a compiler that is changed must not give it. */
const HASHES = [
  ["minimal", "sha256-da6953bae58557bbe622f1d11bc0f18d0558b834d866a6c517d997d3454e5c89"],
  ["refunds", "sha256-aaaaab7c4f8a98ed539806099d60fab84deb3796871508ad2c1c11c226bd80ef"],
  ["trading", "sha256-5301218c65a6c737ff6bce1c139c2ffc061b9c1b9c5120422ace56a072f5eccb"],
  ["code-review", "sha256-a911ba241c01e31387b7c3ebe022f228d93dfa7726ac5139765b1fa68341adb8"],
] as const;

it.each(HASHES)("the artifact of contracts/%s has not changed", async (name, hash) => {
  expect((await compilePack(join(REPOSITORY, "contracts", name))).artifact?.hash).toBe(hash);
});
