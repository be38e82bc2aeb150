import { resolve } from "node:path";
import { DEFAULT_SESSIONS } from "../../analysis/default-bounds.js";
import { diffArtifacts } from "../../analysis/diff/diff-packs.js";
import type { SearchBounds } from "../../analysis/search/search.js";
import { jsonText } from "../../base/clean.js";
import { renderDot } from "../../report/dot.js";
import { canLayOut, MOST_PARTS } from "../../report/layout.js";
import { renderMermaid } from "../../report/mermaid.js";
import { type ReportModel, reportModel } from "../../report/model.js";
import { isPage } from "../../report/page/generator.js";
import { sentenceOf } from "../../report/sentences.js";
import { renderSvg } from "../../report/svg.js";
import { EXIT, type ExitCode, UsageError } from "../exit-code.js";
import type { GraphFormat } from "../output-formats.js";
import { packFolders } from "../pack-folder.js";
import { readSource, type Source } from "../read-source.js";
import type { Terminal } from "../terminal.js";
import { verifyPacks } from "../verification/verify-packs.js";
import { verifyWorkflowOf } from "../verification/verify-workflow.js";
import { outputTo } from "../write-output.js";
import { reportPage } from "../write-report.js";

/** What `graph` was asked to do. */
export interface GraphArguments {
  /** The folder of a pack, or the file of an artifact. */
  readonly source: string;
  readonly format: GraphFormat;
  /** Null writes to standard output. */
  readonly out: string | null;
  /** For the page: an earlier pack to compare with, and recorded events. */
  readonly diff: string | null;
  readonly traces: string | null;
  /** For the page: whether to explore the pack by itself. */
  readonly explores: boolean;
  /** Files below this folder may be read; only the pack's own unless given. */
  readonly root?: string;
  /** How far to explore and to compare. */
  readonly bounds: SearchBounds;
}

const RENDERERS: Readonly<Record<Exclude<GraphFormat, "html">, (model: ReportModel) => string>> = {
  svg: renderSvg,
  mermaid: renderMermaid,
  dot: renderDot,
  json: (model) => `${jsonText(model)}\n`,
};

function drawing(source: Source, format: Exclude<GraphFormat, "html">): string {
  const model = reportModel(source.artifact);
  const drawn = [...model.packs, ...(model.workflow === null ? [] : [model.workflow])];
  if (format === "svg" && !drawn.every(canLayOut)) {
    throw new UsageError(
      `more than ${MOST_PARTS} phases and transitions, or roles and handoffs, cannot be laid out; use --format dot or mermaid`,
    );
  }
  return RENDERERS[format](model);
}

async function page(terminal: Terminal, source: Source, given: GraphArguments): Promise<string | null> {
  const { explores, bounds, diff, traces, out } = given;
  const before = diff === null ? null : readSource(terminal, diff, given.root);
  if (diff !== null && before === null) return null;
  const verified = explores ? await verifyPacks(source, bounds) : [];
  const sessions = DEFAULT_SESSIONS.ofRole;
  const workflow = explores ? await verifyWorkflowOf(source, verified, { ...bounds, sessions }) : null;
  const difference =
    before === null ? null : await diffArtifacts(before.artifact, source.artifact, { bounds, wording: sentenceOf });
  return reportPage(terminal, source, {
    verified,
    workflow,
    difference: difference?.packs ?? [],
    traces,
    replayed: null,
    out,
  });
}

/** Draws a pack: its phases, the transitions between them and the tools that take them; or all of it as a page to read. */
export async function graphCommand(terminal: Terminal, given: GraphArguments): Promise<ExitCode> {
  const { format, out, root, diff, traces } = given;
  const source = readSource(terminal, given.source, given.root);
  if (source === null) return EXIT.findings;
  const paths = (files: readonly (string | null | undefined)[]) =>
    files.flatMap((file) => (file == null ? [] : [resolve(terminal.cwd, file)]));
  const packs = [...packFolders(source.folder, source.artifact), ...paths([root])];
  const inputs = paths([given.source, diff, traces]);
  const write =
    out === null
      ? null
      : outputTo(resolve(terminal.cwd, out), { what: "the drawing", packs, inputs, isEarlier: isPage });
  const text = format === "html" ? await page(terminal, source, given) : drawing(source, format);
  if (text === null) return EXIT.findings;
  if (write === null) terminal.stdout.write(text);
  else write(text);
  return EXIT.clean;
}
