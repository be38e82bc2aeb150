import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Artifact } from "../../artifact/compiled.js";
import { decodeArtifact } from "../../artifact/decode.js";
import { compileFolder } from "../../compiler/compile-pack.js";
import { renderText } from "../../diagnostics/render-text.js";
import { renderDot } from "../../report/dot.js";
import { renderMermaid } from "../../report/mermaid.js";
import { type PackModel, type ReportModel, reportModel } from "../../report/model.js";
import { renderSvg } from "../../report/svg.js";
import { EXIT, type ExitCode, UsageError } from "../exit-code.js";
import { type Terminal, wantsColor } from "../terminal.js";
import { writeOutput } from "../write-output.js";

export const GRAPH_FORMATS = ["svg", "mermaid", "dot", "json"] as const;
export type GraphFormat = (typeof GRAPH_FORMATS)[number];

/** What `graph` was asked to do. */
export interface GraphArguments {
  /** The folder of a pack, or the file of an artifact. */
  readonly source: string;
  readonly format: GraphFormat;
  /** Null writes to standard output. */
  readonly out: string | null;
}

const RENDERERS: Readonly<Record<GraphFormat, (model: ReportModel) => string>> = {
  svg: renderSvg,
  mermaid: renderMermaid,
  dot: renderDot,
  json: (model) => `${JSON.stringify(model, null, 2)}\n`,
};

/** Laying out takes time that grows faster than the graph. */
const MOST_PARTS = 1000;

function isTooLarge({ phases, transitions }: PackModel): boolean {
  return phases.length + transitions.length > MOST_PARTS;
}

function fromFile(path: string, name: string): Artifact {
  const result = decodeArtifact(readFileSync(path, "utf8"));
  if (result.ok) return result.artifact;
  throw new UsageError(`\`${name}\` is no artifact (${result.refusal}): ${result.message}`);
}

/** The artifact of a file or of a folder's pack; null where the pack has errors, which are printed. */
function artifactOf(terminal: Terminal, source: string): Artifact | null {
  const path = resolve(terminal.cwd, source);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() === true) return fromFile(path, source);
  if (stats?.isDirectory() !== true) {
    throw new UsageError(`\`${source}\` does not exist; give the folder of a pack, or an artifact`);
  }
  const { artifact, diagnostics } = compileFolder(path);
  if (artifact === null) terminal.stderr.write(renderText(diagnostics, wantsColor(terminal)));
  return artifact;
}

/** Draws a pack: its phases, the ways between them and the tools that take them. */
export function graphCommand(terminal: Terminal, { source, format, out }: GraphArguments): ExitCode {
  const artifact = artifactOf(terminal, source);
  if (artifact === null) return EXIT.findings;
  const model = reportModel(artifact);
  if (format === "svg" && model.packs.some(isTooLarge)) {
    throw new UsageError(
      `more than ${MOST_PARTS} phases and transitions cannot be laid out; use --format dot or mermaid`,
    );
  }
  const text = RENDERERS[format](model);
  if (out === null) terminal.stdout.write(text);
  else writeOutput(resolve(terminal.cwd, out), text, "the drawing");
  return EXIT.clean;
}
