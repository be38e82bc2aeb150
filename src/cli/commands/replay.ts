import { resolve } from "node:path";
import { SessionReader } from "../../replay/formats/read-sessions.js";
import { SessionPlayer } from "../../replay/play-session.js";
import { isPage } from "../../report/page/generator.js";
import { EXIT, type ExitCode, UsageError } from "../exit-code.js";
import type { ReplayFormat } from "../output-formats.js";
import { packFolders } from "../pack-folder.js";
import { readSource, type Source } from "../read-source.js";
import { JsonPrinter, type Printer, TextPrinter } from "../replay/printers.js";
import { Progress } from "../replay/progress.js";
import { atPlace, type FoundSession, readTraces, sizeOf } from "../replay/read-traces.js";
import { ReplayCoverage } from "../replay/replay-coverage.js";
import { replayedSession } from "../replay/replayed-session.js";
import { SummaryCount } from "../replay/summary.js";
import type { Terminal } from "../terminal.js";
import { outputTo } from "../write-output.js";
import { reportPage } from "../write-report.js";

/** What `replay` was asked to do. */
export interface ReplayArguments {
  readonly pack: string;
  readonly traces: readonly string[];
  /** A file of paths, for logs of another form. */
  readonly map: string | null;
  readonly format: ReplayFormat;
  /** The page for reviewers. */
  readonly report: string | null;
  readonly root?: string;
}

/** How the files are read, and which paths of a mapping found nothing in them. */
interface Readers {
  readonly open: () => SessionReader;
  readonly misses: () => readonly string[];
}

async function readersOf(terminal: Terminal, map: string | null): Promise<Readers> {
  if (map === null) return { open: () => new SessionReader(null), misses: () => [] };
  const [{ readMapping }, { mappedBy, misses }] = await Promise.all([
    import("../replay/read-mapping.js"),
    import("../../replay/mapping/mapping.js"),
  ]);
  const mapping = readMapping(terminal.cwd, map);
  const seen: Parameters<typeof mappedBy>[1] = new Set();
  const mapped = mappedBy(mapping, seen);
  return { open: () => new SessionReader(mapped), misses: () => misses(mapping, seen) };
}

function playerOf({ artifact }: Source, { env }: Terminal): SessionPlayer {
  if (artifact.workflow !== null) {
    throw new UsageError("the pack has a workflow, whose sessions depend on each other; give the pack of one role");
  }
  const player = new SessionPlayer(artifact, env);
  const { unsetVariables: unset } = player;
  if (unset.length === 0) return player;
  throw new UsageError(`rules of the pack compare with environment variables that are not set: ${unset.join(", ")}`);
}

function reportWriter(terminal: Terminal, given: ReplayArguments, source: Source): ((text: string) => void) | null {
  if (given.report === null) return null;
  const named = [given.pack, ...given.traces, ...(given.map === null ? [] : [given.map])];
  const inputs = named.map((file) => resolve(terminal.cwd, file));
  const packs = packFolders(source.folder, source.artifact);
  return outputTo(resolve(terminal.cwd, given.report), { what: "the report", packs, inputs, isEarlier: isPage });
}

/** Decides recorded sessions again, and reports which calls the pack refuses. */
export async function replayCommand(terminal: Terminal, given: ReplayArguments): Promise<ExitCode> {
  const source = readSource(terminal, given.pack, given.root);
  if (source === null) return EXIT.findings;
  const write = reportWriter(terminal, given, source);
  const readers = await readersOf(terminal, given.map);
  const player = playerOf(source, terminal);
  const meter = new Progress(terminal, sizeOf(terminal.cwd, given.traces));
  const output = meter.besides(terminal.stdout);
  const printer: Printer = given.format === "json" ? new JsonPrinter(output) : new TextPrinter(output);
  const count = new SummaryCount();
  const coverage = write === null ? null : new ReplayCoverage(source.artifact);
  const take = ({ session, where }: FoundSession) => {
    const played = atPlace(where, () => player.play(session));
    const replayed = replayedSession(session.id ?? where, session, played);
    count.add(replayed);
    coverage?.add(replayed, played);
    printer.session(replayed, where);
  };
  try {
    for (const file of given.traces) await readTraces(terminal.cwd, file, { reader: readers.open(), meter, take });
  } finally {
    meter.end();
  }
  const summary = count.summary();
  printer.end(summary);
  if (write !== null && coverage !== null) {
    const shown = { verified: [], workflow: null, difference: [], traces: null, out: given.report };
    write(reportPage(terminal, source, { ...shown, replayed: coverage.replayed() }));
  }
  const [missed] = summary.sessions === 0 ? [] : readers.misses();
  if (missed !== undefined) {
    throw new UsageError(`the path of \`${missed}\` in \`${given.map}\` finds nothing in any session`);
  }
  return summary.blocked === 0 ? EXIT.clean : EXIT.findings;
}
