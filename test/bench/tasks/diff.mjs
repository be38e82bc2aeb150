import { performance } from "node:perf_hooks";
import { diffPacks } from "../../../dist/analysis/diff/diff-packs.js";
import { compileFolder } from "../../../dist/compiler/compile-pack.js";
import { sentenceOf } from "../../../dist/report/sentences.js";

/** Compares two packs in this process of its own, by reading and by searching. */
export async function measure({ before, after }) {
  const [old, changed] = [before, after].map((folder) => compileFolder(folder).artifact);
  const start = performance.now();
  const found = await diffPacks(old, changed, { bounds: { depth: 500, states: 4000 }, wording: sentenceOf });
  const seconds = (performance.now() - start) / 1000;
  const [{ changes, divergences }] = found;
  return { seconds, changes: changes.length, divergences: divergences.length };
}
