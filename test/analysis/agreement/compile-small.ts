import type { Artifact } from "../../../src/artifact/compiled.js";
import { compile } from "../../../src/compiler/compile.js";
import type { Pack } from "../../differential/reference/model.js";
import { memoryTree, packBytes } from "../../support/memory-tree.js";

/** JSON is YAML; one line for each value gives each rule a line of its own. */
function written(value: unknown): string {
  return JSON.stringify(value, null, 1);
}

/** The artifact of a pack; null where the compiler refuses it. */
export function compileSmall({ tools, session, definitions }: Pack): Artifact | null {
  const files = new Map(tools.map((contract) => [`${contract.tool}.yaml`, written(contract)]));
  if (session !== null) files.set("session.yaml", written(session));
  if (definitions !== null) files.set("tools.json", written(definitions));
  return compile(memoryTree(packBytes(files))).artifact;
}
