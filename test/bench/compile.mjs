import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocument } from "yaml";
import { compileFolder } from "../../dist/compiler/compile-pack.js";

/** Compiles a folder from disk to artifact; a finding would mean that something else was measured. */
export function compileSound(folder) {
  const { artifact, diagnostics } = compileFolder(folder);
  const [first] = diagnostics;
  if (artifact === null || first !== undefined) throw new Error(`the generated pack is not sound: ${first?.message}`);
  return artifact;
}

/** Only reads and parses the YAML files of a folder: the least that any compiler does. */
export function parseOnly(folder) {
  for (const name of readdirSync(folder)) {
    if (!name.endsWith(".yaml")) continue;
    const { errors } = parseDocument(readFileSync(join(folder, name), "utf8"));
    if (errors.length > 0) throw new Error(`the generated file ${name} is no YAML`);
  }
}
