import type { Artifact } from "../../src/artifact/compiled.js";
import { compile } from "../../src/compiler/compile.js";
import { renderText } from "../../src/diagnostics/render-text.js";
import { memoryTree, packBytes } from "../support/memory-tree.js";
import type { WorkflowPack } from "./reference/model.js";

/** The files of a workflow and of the packs of its roles; JSON is YAML. */
function filesOf({ workflow, packs }: WorkflowPack): readonly (readonly [string, string])[] {
  const own = [...packs].flatMap(([role, { tools, session, definitions }]): [string, unknown][] => [
    ...tools.map((contract): [string, unknown] => [`packs/${role}/${contract.tool}.yaml`, contract]),
    [`packs/${role}/session.yaml`, session ?? { schema_version: "1.0", agent: role }],
    ...(definitions === null ? [] : [[`packs/${role}/tools.json`, definitions] satisfies [string, unknown]]),
  ]);
  return [["workflow.yaml", workflow] as const, ...own].map(([name, content]) => [name, JSON.stringify(content)]);
}

/** The artifact of a workflow, or the text of what the compiler found wrong. */
export function tryCompileWorkflow(pack: WorkflowPack): Artifact | string {
  const { artifact, diagnostics } = compile(memoryTree(packBytes(filesOf(pack))));
  return artifact ?? renderText(diagnostics, false);
}
