import type { Change, Difference, Divergence } from "../difference.js";
import { IN_WORDS, principalLines, stepText } from "../trace-words.js";

/** Which way a change goes; null where that cannot be told from the change alone. */
export function directionOf({ kind, what }: Change): "loosened" | "tightened" | null {
  if (kind === "loosened" || kind === "tightened") return kind;
  if (what === "rule" && kind !== "changed") return kind === "removed" ? "loosened" : "tightened";
  if (what === "transition" && kind !== "changed") return kind === "added" ? "loosened" : "tightened";
  return null;
}

/** The kind of a change, with its direction where the kind does not say it. */
export function kindOf(change: Change): string {
  const direction = directionOf(change);
  return direction === null || direction === change.kind ? change.kind : `${change.kind} (${direction})`;
}

function calls(count: number): string {
  return `${count} ${count === 1 ? "call is" : "calls are"}`;
}

/** What the differences amount to, in one line. */
export function verdictOf(differences: readonly Difference[]): string {
  if (differences.length === 0) return "No difference";
  const all = differences.flatMap(({ divergences }) => divergences);
  const [allowed, refused] = ["allowed", "refused"].map((now) => all.filter((each) => each.now === now).length);
  const hedge = differences.some(({ isBounded }) => isBounded) ? ", as far as the search went" : "";
  if (allowed && refused) {
    return `Loosened and tightened: ${calls(allowed)} newly allowed, ${refused} newly refused${hedge}`;
  }
  if (allowed) return `Loosened: ${calls(allowed)} newly allowed${hedge}`;
  if (refused) return `Tightened: ${calls(refused)} newly refused${hedge}`;
  return `No call is judged differently${hedge}`;
}

/** What differs about a call, in one line. */
export function headline({ tool, now, trace }: Divergence): string {
  const last = trace.steps.at(-1);
  const outcome = last?.kind === "call" ? last.outcome?.kind : undefined;
  if (now === "refused" && outcome === "violated") return `the result of ${tool} is withheld now`;
  const isAsked = last?.kind === "call" && last.verdict.kind === "approval";
  if (isAsked) return now === "refused" ? `${tool} needs an approval now` : `${tool} is allowed now, with an approval`;
  return now === "allowed" ? `${tool} is allowed now` : `${tool} is refused now`;
}

/** How the responsible rule is introduced. */
export function ruleLabel({ now }: Divergence): string {
  return now === "allowed" ? "the old rule that stood in the way" : "the new rule that stands in the way";
}

/** Equal lines in a row are one. */
function runs(lines: readonly string[]): readonly string[] {
  const found: { readonly text: string; count: number }[] = [];
  for (const text of lines) {
    const last = found.at(-1);
    if (last?.text === text) last.count += 1;
    else found.push({ text, count: 1 });
  }
  return found.map(({ text, count }) => (count === 1 ? text : `${text} (${count} times)`));
}

/** A session under the new pack, a line for each step. */
export function sessionLines({ trace }: Divergence): readonly string[] {
  const { principal, env, steps } = trace;
  const variables = Object.entries(env).map(([name, value]) => `environment ${name}=${value}`);
  return [...principalLines(principal, IN_WORDS), ...variables, ...runs(steps.map((step) => stepText(step, IN_WORDS)))];
}
