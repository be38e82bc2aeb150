import { diffPacks } from "../../analysis/diff/diff-packs.js";
import { renderDifference } from "../../analysis/diff/render/render-difference.js";
import { gateOf } from "../../analysis/diff/static/gate.js";
import type { SearchBounds } from "../../analysis/search/search.js";
import { sentenceOf } from "../../report/sentences.js";
import { EXIT, type ExitCode } from "../exit-code.js";
import type { DiffFormat } from "../output-formats.js";
import { readSource } from "../read-source.js";
import type { Terminal } from "../terminal.js";

/** What `diff` was asked to do. */
export interface DiffArguments {
  /** Folders of packs, or files of artifacts. */
  readonly before: string;
  readonly after: string;
  readonly format: DiffFormat;
  readonly failsOnLoosened: boolean;
  /** Files below this folder may be read; only the packs' own unless given. */
  readonly root?: string;
  /** How far to search for calls; null for no search. */
  readonly bounds: SearchBounds | null;
}

/** Shows what a change of a pack means: which rules changed, and which calls are judged differently now. */
export async function diffCommand(terminal: Terminal, given: DiffArguments): Promise<ExitCode> {
  const before = readSource(terminal, given.before, given.root);
  const after = readSource(terminal, given.after, given.root);
  if (before === null || after === null) return EXIT.findings;
  const differences = await diffPacks(before.artifact, after.artifact, { bounds: given.bounds, wording: sentenceOf });
  terminal.stdout.write(renderDifference(differences, given.format));
  return given.failsOnLoosened && differences.some((difference) => gateOf(difference).loosened)
    ? EXIT.findings
    : EXIT.clean;
}
