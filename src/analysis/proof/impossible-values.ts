import type { CompiledCheck, CompiledTool } from "../../artifact/compiled.js";
import { canonicalJson } from "../../base/canonical-json.js";
import type { JsonPath } from "../../base/json-path.js";
import { ANYTHING, type Domain, intersect } from "../../domain/domain.js";
import { endsOfNumbers, type Interval } from "../../domain/every-member.js";
import { acceptedByAll, passing } from "../../domain/of-operator.js";
import { isEmpty } from "../../domain/questions.js";
import { entryOf } from "../values/argument-rules.js";
import type { Entry } from "../values/path-values.js";

/** What a rule leaves at a path of every call. */
interface Left {
  readonly path: JsonPath;
  readonly domain: Domain;
}

/** What a check leaves at its path; null for one of another kind. */
function leftBy(check: CompiledCheck): Left | null {
  if (check.kind === "derived_invariant") return { path: check.path, domain: passing(check) };
  const entry = check.kind === "capture" ? null : entryOf(check);
  return entry === null ? null : leftByEntry(entry);
}

function leftByEntry({ path, operators }: Entry): Left {
  return { path, domain: acceptedByAll(operators) };
}

function allLeft({ checks }: CompiledTool, further: readonly Entry[]): readonly Left[] {
  return [...checks.flatMap((check) => leftBy(check) ?? []), ...further.map(leftByEntry)];
}

/** The first path in the arguments of a tool for which its rules, and further entries, accept neither a value nor its absence. */
export function impossiblePlace(tool: CompiledTool, further: readonly Entry[] = []): JsonPath | null {
  const places = new Map<string, Left>();
  for (const { path, domain } of allLeft(tool, further)) {
    if (path.kind !== "definite") continue;
    const key = canonicalJson([...path.steps]);
    const before = places.get(key);
    places.set(
      key,
      before === undefined ? { path, domain } : { path: before.path, domain: intersect(before.domain, domain) },
    );
  }
  return [...places.values()].find(({ domain }) => isEmpty(domain) === "yes")?.path ?? null;
}

const EVERYWHERE: Interval = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };

/** The least and the greatest number that the rules of a tool, and further entries, may leave at a path. */
export function numbersAt(tool: CompiledTool, path: JsonPath, further: readonly Entry[]): Interval {
  const here = allLeft(tool, further).filter((left) => left.path.text === path.text);
  // Where no number is left, no call adds one.
  return endsOfNumbers(here.reduce((all, { domain }) => intersect(all, domain), ANYTHING).numbers) ?? EVERYWHERE;
}
