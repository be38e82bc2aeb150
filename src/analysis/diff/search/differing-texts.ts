import type { CompiledOperator } from "../../../artifact/compiled-value.js";
import type { JsonPath } from "../../../base/json-path.js";
import { samplesOf } from "../../../operators/index.js";
import { judgeBy, satisfyingValues } from "../../values/operator-values.js";
import { type Crossing, grouped } from "./crossing-values.js";
import type { Edit } from "./edits.js";
import { operatorsAt, sourcesOf } from "./links.js";
import type { Packs } from "./principals.js";

const MOST_TEXTS = 6;
const MOST_SEEDS = 4;
const MOST_JOINED = 2;
const LONGEST_SEED = 60;
/** Characters that patterns often distinguish. */
const CHARACTERS = [...". -_/:@#+aA0", "é"];

type Environment = ReadonlyMap<string, string>;

/** Texts with one character inserted, removed or replaced. */
function* neighbours(text: string): Generator<string> {
  for (let at = 0; at <= text.length; at++) {
    const [before, after] = [text.slice(0, at), text.slice(at)];
    if (after !== "") yield before + after.slice(1);
    for (const character of CHARACTERS) {
      yield before + character + after;
      if (after !== "") yield before + character + after.slice(1);
    }
  }
}

/** Texts that the operators accept, their neighbours, and both joined: a pattern may read only a part. */
function* textsNear(lists: readonly (readonly CompiledOperator[])[], env: Environment): Generator<string> {
  const values = lists.flatMap((operators) => satisfyingValues(operators, env).slice(0, MOST_SEEDS));
  const texts = values.filter((value) => typeof value === "string").filter(({ length }) => length <= LONGEST_SEED);
  const seeds = [...new Set(texts)];
  const near = [...new Set(seeds.flatMap((seed) => [seed, ...neighbours(seed)]))];
  yield* near;
  for (const seed of seeds.slice(0, MOST_JOINED)) for (const text of near) yield text + seed;
}

/** The first few texts that pass a test. */
function few(texts: Iterable<string>, test: (text: string) => boolean): readonly string[] {
  const found: string[] = [];
  for (const text of texts) {
    if (found.length === MOST_TEXTS) break;
    if (test(text)) found.push(text);
  }
  return found;
}

/**
 * Texts that the two packs judge differently at paths of a tool. Patterns are compared by samples: neighbours of texts that
 * they accept, and of texts accepted by the calls from which the tool must repeat the text.
 */
export function differingTexts(
  packs: Packs,
  tool: string,
  { paths, env }: { readonly paths: readonly JsonPath[]; readonly env: Environment },
): Crossing {
  const edits: Edit[] = [];
  const linked: (readonly [string, Edit])[] = [];
  for (const path of paths) {
    const [old, current] = [operatorsAt(packs.old, tool, path), operatorsAt(packs.new, tool, path)];
    if (![...old, ...current].some((operator) => samplesOf(operator).patterns.length > 0)) continue;
    const holds = (operators: readonly CompiledOperator[], text: string) => judgeBy(operators, text, env) === true;
    const differs = (text: string) => holds(old, text) !== holds(current, text);
    edits.push(...few(textsNear([old, current], env), differs).map((value) => ({ path, value })));
    for (const [source, at] of sourcesOf(packs.new, tool, path)) {
      const own = operatorsAt(packs.new, source, at);
      const texts = few(textsNear([old, current, own], env), (text) => differs(text) && holds(own, text));
      linked.push(...texts.map((value) => [source, { path: at, value }] as const));
    }
  }
  return { arguments: edits, linked: grouped(linked), outputs: new Map(), principals: [], isTyped: false };
}
