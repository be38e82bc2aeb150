import type { CompiledTool } from "../../../artifact/compiled.js";
import { canonicalJson } from "../../../base/canonical-json.js";
import { contentOf } from "./rule-content.js";
import { isWithin } from "./strength.js";

type AllowedError = CompiledTool["allowed_errors"][number];
type Outcome = AllowedError["outcome"];

/** The part of an entry that matches errors; the meaning of an expected error is compared separately. */
export function matcherOf({ outcome: _, ...rest }: AllowedError): string {
  return canonicalJson(contentOf(rest));
}

/** Entries with one matcher are one entry: the first that gives the error a meaning decides, at its position. */
function outcomesOf(errors: readonly AllowedError[]): ReadonlyMap<string, Outcome> {
  const found = new Map<string, Outcome>();
  for (const error of errors) {
    const matcher = matcherOf(error);
    if ((found.get(matcher) ?? null) !== null) continue;
    // An entry without a meaning does not take precedence over later ones with one.
    found.delete(matcher);
    found.set(matcher, error.outcome);
  }
  return found;
}

/** `unknown` keeps a call counted, `not_executed` releases it; without either, the error itself decides. */
function isOutcomeKept(after: Outcome, before: Outcome): boolean {
  return after === before || after === "unknown" || (after === null && before === "not_executed");
}

/** If entries give one error different meanings, the first decides. */
function isOrderKept(after: ReadonlyMap<string, Outcome>, before: ReadonlyMap<string, Outcome>): boolean {
  const saying = (one: ReadonlyMap<string, Outcome>, other: ReadonlyMap<string, Outcome>) =>
    [...one].filter(([matcher, outcome]) => outcome !== null && (other.get(matcher) ?? null) !== null);
  const [current, old] = [saying(after, before), saying(before, after)];
  const isOneWord = new Set([...current, ...old].map(([, outcome]) => outcome)).size <= 1;
  return (
    isOneWord || canonicalJson(current.map(([matcher]) => matcher)) === canonicalJson(old.map(([matcher]) => matcher))
  );
}

/** An expected error does not count towards the circuit breaker, so none may be added, and none may release more calls. */
export function areErrorsKept(after: readonly AllowedError[], before: readonly AllowedError[]): boolean {
  const [current, old] = [outcomesOf(after), outcomesOf(before)];
  return (
    isWithin([...current.keys()], [...old.keys()]) &&
    [...old].every(([matcher, outcome]) => {
      const now = current.get(matcher);
      return now === undefined ? outcome !== "unknown" : isOutcomeKept(now, outcome);
    }) &&
    isOrderKept(current, old)
  );
}
