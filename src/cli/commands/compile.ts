import { posix, relative, resolve, sep } from "node:path";
import type { Difference } from "../../analysis/difference.js";
import type { SearchBounds } from "../../analysis/search/search.js";
import { encodeArtifact } from "../../artifact/encode.js";
import { clean } from "../../base/clean.js";
import type { Compiled } from "../../compiler/compile.js";
import { compileFolder, packTree } from "../../compiler/compile-pack.js";
import { RULES } from "../../compiler/rules/index.js";
import { type Diagnostic, hasErrors, sortDiagnostics } from "../../diagnostics/diagnostic.js";
import { GOLDEN_FINDINGS } from "../../diagnostics/golden-findings.js";
import { renderGithub } from "../../diagnostics/render-github.js";
import { type ArtifactSummary, renderJson } from "../../diagnostics/render-json.js";
import { renderSarif } from "../../diagnostics/render-sarif.js";
import { renderText } from "../../diagnostics/render-text.js";
import { VERIFICATION_FINDINGS } from "../../diagnostics/verification-findings.js";
import { counted } from "../../diagnostics/wording.js";
import type { PlayedCase } from "../../golden/played-case.js";
import { isPage } from "../../report/page/generator.js";
import { EXIT, type ExitCode, UsageError } from "../exit-code.js";
import { goldenFindings } from "../golden/findings.js";
import {
  differenceFrom,
  type Explored,
  exploredFindings,
  exploredPacks,
  exploredTexts,
  exploredWorkflow,
  NOT_EXPLORED,
  pageOf,
  playedCases,
} from "../on-demand.js";
import type { Format } from "../output-formats.js";
import { packFolders, readOptions, requireFolder } from "../pack-folder.js";
import { packageVersion } from "../package-file.js";
import { isArtifact, readSource, type Source } from "../read-source.js";
import { type Terminal, wantsColor } from "../terminal.js";
import { PlaceSpans } from "../verification/place-span.js";
import { isOneTarget, type Output, outputTo } from "../write-output.js";

/** What `compile` and `check` were asked to do. */
export interface CompileArguments {
  readonly pack: string;
  /** Null writes nothing. */
  readonly out: string | null;
  readonly format: Format;
  readonly tools?: string;
  /** Files below this folder may be read; only the pack's own unless given. */
  readonly root?: string;
  readonly warningsAsErrors: boolean;
  /** Whether the golden cases of the pack are played. */
  readonly golden: boolean;
  /** How far to explore the pack, and whether to print every session found; null for not at all. */
  readonly explores: Exploring | null;
  /** Where a page for reviewers is written; null for none. */
  readonly report: string | null;
  /** Recorded events that the report counts, and an earlier pack or artifact that it compares with. */
  readonly traces: string | null;
  readonly diff: string | null;
  /** How far to compare with that. */
  readonly bounds: SearchBounds;
}

interface Exploring {
  readonly isFull?: boolean;
  /** Most sessions of a role in a workflow. */
  readonly sessions: number;
}

type Writer = ((text: string) => void) | null;

/** Where the artifact and the report go. Both places are checked before either is written. */
function writersOf(
  { out, report, tools, diff, traces, root }: CompileArguments,
  { cwd }: Terminal,
  folders: readonly string[],
): { readonly artifact: Writer; readonly report: Writer } {
  const given = (files: readonly (string | null | undefined)[]) =>
    files.flatMap((file) => (file == null ? [] : [resolve(cwd, file)]));
  // What --root allows to be read may be a part of the pack.
  const [packs, inputs] = [[...folders, ...given([root])], given([tools, diff, traces])];
  const write = (file: string | null, rest: Pick<Output, "what" | "isEarlier">) =>
    file === null ? null : outputTo(resolve(cwd, file), { ...rest, packs, inputs });
  const writers = {
    artifact: write(out, { what: "the artifact", isEarlier: isArtifact }),
    report: write(report, { what: "the report", isEarlier: isPage }),
  };
  if (out !== null && report !== null && isOneTarget(resolve(cwd, out), resolve(cwd, report))) {
    throw new UsageError(`\`${clean(report)}\` is where the artifact goes; choose another file for --report`);
  }
  return writers;
}

function summaryLine({ artifact }: Compiled, summary: ArtifactSummary): string {
  const tools = artifact?.packs.reduce((sum, { tools }) => sum + tools.length, 0) ?? 0;
  const target = summary.path === undefined ? "no errors" : `wrote ${clean(summary.path)}`;
  return `${counted(tools, "tool")} compiled, ${target}\n${summary.hash}\n`;
}

/** The result of a run. */
interface Result {
  readonly ok: boolean;
  readonly summary: ArtifactSummary | null;
  readonly compiled: Compiled;
  readonly findings: readonly Diagnostic[];
  readonly explored: Explored;
}

async function textOf(terminal: Terminal, isFull: boolean, result: Result): Promise<string> {
  const { ok, summary, compiled, findings, explored } = result;
  const parts = [
    renderText(findings, wantsColor(terminal)),
    ...(await exploredTexts(explored, isFull)),
    ok && summary !== null ? summaryLine(compiled, summary) : "",
  ];
  return parts.filter((part) => part !== "").join("\n");
}

async function render(terminal: Terminal, given: CompileArguments, result: Result): Promise<void> {
  const { ok, summary, findings, explored } = result;
  // Annotations and code-scanning results name files from where the command runs, usually the repository's root.
  const folder = relative(terminal.cwd, resolve(terminal.cwd, given.pack)).split(sep).join("/");
  const fileOf = (file: string) => posix.normalize(posix.join(folder, file));
  const rules = [...RULES, ...VERIFICATION_FINDINGS, ...GOLDEN_FINDINGS];
  switch (given.format) {
    case "json":
      terminal.stdout.write(renderJson(ok, summary, findings, verification(given, explored)));
      return;
    case "sarif":
      terminal.stdout.write(renderSarif(findings, { version: packageVersion(), rules, fileOf }));
      return;
    case "github":
      terminal.stdout.write(renderGithub(findings, fileOf));
      return;
    case "text":
      terminal.stdout.write(await textOf(terminal, given.explores?.isFull ?? false, result));
  }
}

function verification({ explores }: CompileArguments, { packs, workflow }: Explored): object {
  if (explores === null) return {};
  const ofPacks = { verification: packs.map((each) => each.verification) };
  return workflow === null ? ofPacks : { ...ofPacks, workflow };
}

interface Finished {
  readonly folder: string;
  readonly compiled: Compiled;
  readonly played: readonly PlayedCase[];
  readonly explored: Explored;
  readonly difference: readonly (Difference | null)[];
  readonly writers: ReturnType<typeof writersOf>;
}

/** Reports every finding, and writes the artifact and the report when there is no error. */
async function finish(
  terminal: Terminal,
  given: CompileArguments,
  { folder, compiled, played, explored, difference, writers }: Finished,
): Promise<ExitCode> {
  const { artifact } = compiled;
  const spans = new PlaceSpans(packTree(folder, readOptions(given, folder, terminal.cwd)));
  const found = await exploredFindings(explored, compiled.suppressions, spans);
  const findings = sortDiagnostics([...compiled.diagnostics, ...found, ...goldenFindings(played, spans)]);
  const ok = artifact !== null && !hasErrors(findings) && !(given.warningsAsErrors && findings.length > 0);
  let summary: ArtifactSummary | null = null;
  if (ok) {
    writers.artifact?.(encodeArtifact(artifact));
    summary = given.out === null ? { hash: artifact.hash } : { hash: artifact.hash, path: given.out };
  }
  if (artifact !== null && given.report !== null) {
    const source = { ...compiled, artifact, diagnostics: findings, folder };
    const { packs: verified, workflow } = explored;
    const shown = { verified, workflow, difference, traces: given.traces, replayed: null, out: given.report };
    writers.report?.(await pageOf(terminal, source, shown));
  }
  await render(terminal, given, { ok, summary, compiled, findings, explored });
  return ok ? EXIT.clean : EXIT.findings;
}

async function exploreAll(
  source: Pick<Source, "artifact" | "claims" | "examples" | "roleClaims" | "suppressions">,
  bounds: SearchBounds,
  { sessions }: Exploring,
): Promise<Explored> {
  const packs = await exploredPacks(source, bounds);
  return { packs, workflow: await exploredWorkflow(source, packs, { ...bounds, sessions }) };
}

/** Compiles a pack, plays its golden cases, explores it where that is asked for, and reports everything that is found. */
export async function compileCommand(terminal: Terminal, given: CompileArguments): Promise<ExitCode> {
  const { cwd } = terminal;
  const folder = requireFolder(given.pack, cwd);
  const compiled = compileFolder(folder, readOptions(given, folder, cwd));
  const { artifact } = compiled;
  if (artifact === null) {
    const writers = writersOf(given, terminal, packFolders(folder, artifact));
    return finish(terminal, given, { folder, compiled, played: [], explored: NOT_EXPLORED, difference: [], writers });
  }
  const { explores, bounds, diff } = given;
  const before = diff === null ? null : readSource(terminal, diff, given.root);
  if (diff !== null && before === null) return EXIT.findings;
  const earlier = packFolders(before?.folder ?? null, before?.artifact ?? null);
  const writers = writersOf(given, terminal, [...packFolders(folder, artifact), ...earlier]);
  const played = await playedCases(artifact, given.golden ? compiled.golden : [], terminal);
  const explored = explores === null ? NOT_EXPLORED : await exploreAll({ ...compiled, artifact }, bounds, explores);
  const difference = before === null ? [] : await differenceFrom(before.artifact, artifact, bounds);
  return finish(terminal, given, { folder, compiled, played, explored, difference, writers });
}
