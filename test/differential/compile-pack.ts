import type { Artifact } from "../../src/artifact/compiled.js";
import { type Compiled, compile } from "../../src/compiler/compile.js";
import { renderText } from "../../src/diagnostics/render-text.js";
import type { FileTree } from "../../src/language/file-tree.js";
import type { Pack } from "./reference/model.js";

/** The files of a pack; JSON is YAML. */
function filesOf({ tools, session, definitions }: Pack): ReadonlyMap<string, string> {
  const files = new Map(tools.map((contract) => [`${contract.tool}.yaml`, JSON.stringify(contract)]));
  if (session !== null) files.set("session.yaml", JSON.stringify(session));
  if (definitions !== null) files.set("tools.json", JSON.stringify(definitions));
  return files;
}

function memoryTree(files: ReadonlyMap<string, string>): FileTree {
  return {
    list: (folder) => (folder === "" || folder === "." ? [...files.keys()] : null),
    read(file) {
      const text = files.get(file);
      return text === undefined ? { kind: "missing" } : { kind: "bytes", bytes: new TextEncoder().encode(text) };
    },
  };
}

/** What the compiler makes of a pack. */
export function compileText(pack: Pack): Compiled {
  return compile(memoryTree(filesOf(pack)));
}

/** An expression that is never true, or that reads a slot which nothing has bound before: nothing could be called. */
const NEVER_CALLED = /unset_ref|always_false_expression/;

/** The artifact of a generated pack; null if that has a tool which nothing could call. */
export function compileGenerated(pack: Pack): Artifact | null {
  const artifact = tryCompile(pack);
  if (typeof artifact !== "string") return artifact;
  if (NEVER_CALLED.test(artifact)) return null;
  throw new Error(`a generated pack does not compile: ${JSON.stringify(pack)}\n${artifact}`);
}

/** The same: an artifact, or the text of its findings. */
export function tryCompile(pack: Pack): Artifact | string {
  const { artifact, diagnostics } = compileText(pack);
  return artifact ?? renderText(diagnostics, false);
}
