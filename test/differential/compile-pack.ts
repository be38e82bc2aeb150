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

/** The same: an artifact, or the text of its findings. */
export function tryCompile(pack: Pack): Artifact | string {
  const { artifact, diagnostics } = compileText(pack);
  return artifact ?? renderText(diagnostics, false);
}
