import type { JsonPath } from "../../../base/json-path.js";
import { complement, type Domain, intersect, ofTypes } from "../../../domain/domain.js";
import { acceptedByAll } from "../../../domain/of-operator.js";
import { shortestTexts } from "../../../domain/text-members.js";
import { type Crossing, grouped } from "./crossing-values.js";
import type { Edit } from "./edits.js";
import { operatorsAt, sourcesOf } from "./links.js";
import type { Packs } from "./principals.js";

const MOST_TEXTS = 6;

/** The shortest texts of a domain. */
function textsIn({ texts }: Domain): readonly string[] {
  return shortestTexts(texts, MOST_TEXTS);
}

/** What one of two domains has and the other lacks. */
function differing(one: Domain, other: Domain): readonly Domain[] {
  return [intersect(other, complement(one)), intersect(one, complement(other))];
}

/**
 * Texts that the two packs judge differently at paths of a tool: the shortest ones, also among those that the calls accept from which the tool
 * must repeat the text.
 */
export function differingTexts(packs: Packs, tool: string, paths: readonly JsonPath[]): Crossing {
  const edits: Edit[] = [];
  const linked: (readonly [string, Edit])[] = [];
  for (const path of paths) {
    const [old, current] = [operatorsAt(packs.old, tool, path), operatorsAt(packs.new, tool, path)];
    const domains = differing(acceptedByAll(old), acceptedByAll(current));
    edits.push(...domains.flatMap(textsIn).map((value) => ({ path, value })));
    for (const [source, at] of sourcesOf(packs.new, tool, path)) {
      const own = intersect(acceptedByAll(operatorsAt(packs.new, source, at)), ofTypes(["string"]));
      const texts = domains.flatMap((domain) => textsIn(intersect(domain, own)));
      linked.push(...texts.map((value) => [source, { path: at, value }] as const));
    }
  }
  return { arguments: edits, linked: grouped(linked), outputs: new Map(), principals: [], isTyped: false };
}
