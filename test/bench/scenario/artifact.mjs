import { encodeArtifact } from "../../../dist/artifact/encode.js";
import { compileSound } from "../compile.mjs";
import { onDisk } from "../generated-pack.mjs";
import { askingPack, scenarioPack, workflowPack } from "./pack.mjs";

/** The artifact of the scenario's pack with so many tools, as the text that a guard reads. */
export function scenarioArtifact(tools) {
  return encodeArtifact(onDisk(scenarioPack(tools), compileSound));
}

/** The artifact of the workflow. */
export function workflowArtifact() {
  return encodeArtifact(onDisk(workflowPack(), compileSound));
}

/** The artifact of the pack that asks for approvals. */
export function askingArtifact() {
  return encodeArtifact(onDisk(askingPack(), compileSound));
}
