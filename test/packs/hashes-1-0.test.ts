import { join } from "node:path";
import { expect, it } from "vitest";
import { compilePack } from "../../src/compiler/compile-pack.js";
import { REPOSITORY } from "../support/run-cli.js";

/** The hashes from before language version 1.1: what it adds is absent from the artifact of a pack that does not use it. */
const HASHES = {
  minimal: "sha256-da6953bae58557bbe622f1d11bc0f18d0558b834d866a6c517d997d3454e5c89",
  trading: "sha256-5301218c65a6c737ff6bce1c139c2ffc061b9c1b9c5120422ace56a072f5eccb",
  "code-review": "sha256-a911ba241c01e31387b7c3ebe022f228d93dfa7726ac5139765b1fa68341adb8",
};

it.each(Object.entries(HASHES))("the example pack %s compiles to the artifact it always had", async (name, hash) => {
  const { artifact } = await compilePack(join(REPOSITORY, "contracts", name));
  expect(artifact?.hash).toBe(hash);
});
