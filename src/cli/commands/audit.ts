import { resolve } from "node:path";
import type { SessionEnd } from "../../audit/chain.js";
import { checkpointLines, readCheckpoint } from "../../audit/checkpoint.js";
import { CheckpointCheck } from "../../audit/checkpoint-check.js";
import { isExportLine } from "../../audit/export-line.js";
import { exportLines } from "../../audit/export-log.js";
import type { Report } from "../../audit/problem.js";
import { replayStore } from "../../audit/replay/replay-store.js";
import { BadKey, privateKey, publicKey } from "../../audit/signing-key.js";
import { type Checking, verifyExport } from "../../audit/verify-export.js";
import { verifyStore } from "../../audit/verify-store.js";
import { clean, jsonText } from "../../base/clean.js";
import { isJsonObject, type Json } from "../../base/json.js";
import { principalDigest } from "../../guard/durable/recording.js";
import { isStoreName, linesOf } from "../audit/audit-source.js";
import { formatted, replayText, reportText } from "../audit/report-text.js";
import { demandNoDatabase, demandOtherFile } from "../audit/store-files.js";
import { type Earlier, type LineWriter, linesTo, linesToFile } from "../audit/write-lines.js";
import { EXIT, type ExitCode, UsageError } from "../exit-code.js";
import type { StoreFormat } from "../output-formats.js";
import { readNamedFile } from "../read-named-file.js";
import { readSource } from "../read-source.js";
import type { Terminal } from "../terminal.js";
import { withNamedStore } from "../with-named-store.js";

/** Where lines go: to a file, which is none of the source, or to the output of the command. */
function writerTo(
  { cwd, stdout }: Terminal,
  { source, out }: { readonly source: string; readonly out: string | null },
  earlier: Earlier,
): LineWriter {
  if (out === null) return linesTo(stdout);
  const path = resolve(cwd, out);
  demandOtherFile(source, cwd, { path, name: out });
  return linesToFile(path, out, earlier);
}

/** What was written to a file, for programs; lines on standard output speak for themselves. */
function writeSummary({ stdout }: Terminal, out: string | null, format: StoreFormat, lines: number): void {
  if (out !== null && format === "json") stdout.write(`${jsonText({ file: out, lines })}\n`);
}

const EXPORT: Earlier = { isKind: isExportLine, keeps: false };
const CHECKPOINTS: Earlier = { isKind: (line) => readCheckpoint(line) !== null, keeps: true };

/** The text of a file that an option names. */
function fileText({ cwd }: Terminal, name: string): string {
  return readNamedFile(resolve(cwd, name), clean(name));
}

/** What is read from a file that an option names. */
function fromFile<T>(terminal: Terminal, name: string, read: (text: string) => T): T {
  const text = fileText(terminal, name);
  try {
    return read(text);
  } catch (cause) {
    if (cause instanceof BadKey) throw new UsageError(`\`${clean(name)}\` cannot be used: ${cause.message}`);
    throw cause;
  }
}

async function verified(terminal: Terminal, source: string, checking: Checking): Promise<Report> {
  if (!isStoreName(source)) {
    demandNoDatabase(terminal.cwd, source);
    return verifyExport(linesOf(terminal, source), checking);
  }
  return withNamedStore(terminal, source, (store) => verifyStore(store, checking));
}

/** What `audit export` was asked to do. */
export interface ExportArguments {
  readonly url: string;
  readonly session: string | null;
  readonly out: string | null;
  readonly format: StoreFormat;
}

/** Writes the records of a store as lines of JSON. */
export async function auditExportCommand(
  terminal: Terminal,
  { url, session, out, format }: ExportArguments,
): Promise<ExitCode> {
  return withNamedStore(terminal, url, async (store) => {
    let writer: LineWriter | null = null;
    let lines = 0;
    for await (const line of exportLines(store, session)) {
      // Not before there is a line: a file that is there must not be emptied for nothing.
      writer ??= writerTo(terminal, { source: url, out }, EXPORT);
      await writer.write(line);
      lines += 1;
    }
    await writer?.end();
    writeSummary(terminal, out, format, lines);
    return EXIT.clean;
  });
}

/** What `audit verify` was asked to do. */
export interface VerifyArguments {
  readonly source: string;
  /** The file of the signed checkpoints and that of the key to check them with; null without. */
  readonly checkpoints: { readonly file: string; readonly publicKey: string } | null;
  readonly format: StoreFormat;
}

/** Checks a store or an export. */
export async function auditVerifyCommand(terminal: Terminal, given: VerifyArguments): Promise<ExitCode> {
  const { checkpoints: signed } = given;
  const checkpoints =
    signed === null
      ? null
      : new CheckpointCheck(
          fileText(terminal, signed.file).split("\n"),
          fromFile(terminal, signed.publicKey, publicKey),
        );
  const report = await verified(terminal, given.source, { checkpoints });
  terminal.stdout.write(formatted(given.format, report, reportText));
  return report.ok ? EXIT.clean : EXIT.findings;
}

/** What `audit sign` was asked to do. */
export interface SignArguments {
  readonly source: string;
  readonly key: string;
  readonly out: string | null;
  readonly format: StoreFormat;
}

/** Signs where each session ends now, unless something is wrong with the log. */
export async function auditSignCommand(terminal: Terminal, given: SignArguments): Promise<ExitCode> {
  const { source, key, out, format } = given;
  const signing = fromFile(terminal, key, privateKey);
  const ends: SessionEnd[] = [];
  const report = await verified(terminal, source, { onEnd: (end) => ends.push(end) });
  if (!report.ok) {
    if (format === "json") terminal.stdout.write(`${jsonText(report)}\n`);
    terminal.stderr.write(`${format === "json" ? "" : reportText(report)}nothing was signed\n`);
    return EXIT.findings;
  }
  const writer = writerTo(terminal, given, CHECKPOINTS);
  const lines = [...checkpointLines(ends, signing, Date.now())];
  for (const line of lines) await writer.write(line);
  await writer.end();
  writeSummary(terminal, out, format, lines.length);
  return EXIT.clean;
}

/** What `audit replay` was asked to do. */
export interface ReplayArguments {
  readonly url: string;
  readonly artifact: string;
  readonly principals: readonly string[];
  readonly session: string | null;
  readonly format: StoreFormat;
}

function principalOf(terminal: Terminal, name: string): Json {
  let value: Json;
  try {
    value = JSON.parse(fileText(terminal, name)) as Json;
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`\`${clean(name)}\` is not JSON`);
  }
  if (!isJsonObject(value)) throw new UsageError(`\`${clean(name)}\` is not a principal: a principal is a JSON object`);
  return value;
}

/** Decides the log of a store again under an artifact. */
export async function auditReplayCommand(terminal: Terminal, given: ReplayArguments): Promise<ExitCode> {
  const source = readSource(terminal, given.artifact);
  if (source === null) return EXIT.findings;
  const named = given.principals.map((name) => ({ name, principal: principalOf(terminal, name) }));
  const principals = new Map(named.map(({ principal }) => [principalDigest(principal), principal]));
  const { artifact } = source;
  const { env } = terminal;
  const { session, format } = given;
  const { result, principals: recorded } = await withNamedStore(terminal, given.url, (store) =>
    replayStore(store, { artifact, principals, env, session }),
  );
  // Not a clean result: nothing was decided again.
  if (result.records > 0 && result.skipped.artifact === result.records) {
    throw new UsageError(
      `\`${clean(given.artifact)}\` is not the artifact of any record: \`contracts sessions list\` shows those of the sessions`,
    );
  }
  const stray = named.find(({ principal }) => !recorded.has(principalDigest(principal)));
  if (stray !== undefined) {
    throw new UsageError(`\`${clean(stray.name)}\` is not the principal of any verdict: its digest is not recorded`);
  }
  terminal.stdout.write(formatted(format, result, replayText));
  return result.ok ? EXIT.clean : EXIT.findings;
}
