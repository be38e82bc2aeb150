import type { Change, Difference, Divergence, GateReason } from "../../difference.js";
import { IN_WORDS, principalLines, stepText, type Wording } from "../../trace/trace-words.js";

const MOST_TOOLS = 6;

const WORDS = { weaker: "loosened", stronger: "tightened", unknown: "not shown to be as strong", same: null } as const;

/** The kind of a change, with its direction if the kind does not imply it. */
export function kindOf({ kind, direction }: Change): string {
  const words = WORDS[direction];
  return words === null || words === kind ? kind : `${kind} (${words})`;
}

/** The values that show how a rule changed, as sentences. */
export function shownSentences({ shows }: Change): readonly string[] {
  if (shows === undefined) return [];
  const { path, accepted, refused } = shows;
  return [
    ...(accepted === null ? [] : [`accepted only now at ${path}: ${accepted}`]),
    ...(refused === null ? [] : [`accepted only before at ${path}: ${refused}`]),
  ];
}

/** Names of tools; a long list is cut, with the number of further ones. */
export function toolsText(tools: readonly string[]): string {
  return tools.length <= MOST_TOOLS
    ? tools.join(", ")
    : `${tools.slice(0, MOST_TOOLS - 1).join(", ")} and ${tools.length - MOST_TOOLS + 1} more`;
}

function calls(count: number): string {
  return `${count} ${count === 1 ? "call is" : "calls are"}`;
}

/** What is refused now; something else may be weaker, also where no call was found that shows it. */
function tightened(differences: readonly Difference[], what: string): string {
  const isAsStrong = ({ direction }: Change) => direction === "same" || direction === "stronger";
  return differences.every(({ changes }) => changes.every(isAsStrong))
    ? `Tightened: ${what}`
    : `Changed: ${what}, and not everything else is as strong`;
}

/** Packs that were added or removed as a whole; there is no search in them. */
function wholePacks(differences: readonly Difference[]): string | null {
  const packs = (count: number) => `${count} ${count === 1 ? "pack is" : "packs are"}`;
  const [came, went] = [
    differences.filter(({ isLoosened }) => isLoosened).length,
    differences.filter(({ isTightened }) => isTightened).length,
  ];
  if (came > 0) return `Loosened: ${packs(came)} new${went > 0 ? `, ${went} gone` : ""}`;
  return went > 0 ? tightened(differences, `${packs(went)} gone`) : null;
}

/** A summary of the differences in one line. */
export function verdictOf(differences: readonly Difference[]): string {
  if (differences.length === 0) return "No difference";
  const all = differences.flatMap(({ divergences }) => divergences);
  const [allowed, refused] = ["allowed", "refused"].map((now) => all.filter((each) => each.now === now).length);
  const hedge = differences.some(({ isBounded }) => isBounded) ? ", as far as the search went" : "";
  if (allowed && refused) {
    return `Loosened and tightened: ${calls(allowed)} newly allowed, ${refused} newly refused${hedge}`;
  }
  if (allowed) return `Loosened: ${calls(allowed)} newly allowed${hedge}`;
  if (refused) return tightened(differences, `${calls(refused)} newly refused${hedge}`);
  // A search proves nothing; only equal rules do.
  const isProved = differences.every(({ changes }) => changes.every(({ direction }) => direction === "same"));
  if (isProved) return "No call is judged differently";
  const whole = wholePacks(differences);
  if (whole !== null) return whole;
  return differences.some(({ isSearched }) => !isSearched)
    ? "Changed: calls that are judged differently were not searched for"
    : "Changed: no difference found, as far as the search went";
}

/** What is not known about a difference, as a list of no sentence or one. */
export function boundSentences({ isBounded, isSearched }: Difference): readonly string[] {
  return isBounded && isSearched ? ["The search ended before it was complete: there may be more."] : [];
}

/** The result of `--fail-on loosened` in one line. */
export function gateVerdict(reasons: readonly GateReason[]): string {
  return reasons.length === 0
    ? "Gate: by reading, every rule and setting is as strong as before"
    : "Gate: loosened, or not shown to be as strong as before";
}

/** A reason of the gate: what, where and for which tools. */
export function reasonParts({ direction, text, tools, file, line }: GateReason): {
  readonly label: string;
  readonly place: string;
  readonly text: string;
  readonly tools: string;
} {
  const place = file === undefined ? "" : `${file}:${line}`;
  const label = direction === "weaker" ? "weaker" : "not shown to be as strong";
  return { label, place, text, tools: toolsText(tools) };
}

/** Divergences that show the same for several tools, reported once. */
export interface DivergenceGroup {
  readonly shown: Divergence;
  /** The other tools with such a divergence. */
  readonly others: readonly string[];
}

/** Divergences by the rule that causes them, each with the shortest session. */
export function groupDivergences(divergences: readonly Divergence[]): readonly DivergenceGroup[] {
  const groups = new Map<string, { readonly shown: Divergence; readonly others: string[] }>();
  for (const divergence of divergences) {
    const { now, ruleId, tool } = divergence;
    const heading = headline({ ...divergence, tool: "" });
    const key = ruleId === null ? `${now}\n\n${tool}` : `${now}\n${ruleId}\n${heading}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { shown: divergence, others: [] });
    else if (known.shown.tool !== tool && !known.others.includes(tool)) known.others.push(tool);
  }
  return [...groups.values()];
}

/** The difference for a call, in one line. */
export function headline({ tool, now, over, trace }: Divergence): string {
  if (over === "result") return `the result of ${tool} is ${now === "refused" ? "withheld" : "returned"} now`;
  const last = trace.steps.at(-1);
  const isAsked = last?.kind === "call" && last.verdict.kind === "approval";
  if (isAsked) return now === "refused" ? `${tool} needs an approval now` : `${tool} is allowed now, with an approval`;
  return now === "allowed" ? `${tool} is allowed now` : `${tool} is refused now`;
}

/** How the responsible rule is introduced. */
export function ruleLabel({ now }: Divergence): string {
  return now === "allowed" ? "responsible old rule" : "responsible new rule";
}

/** Equal consecutive lines as one. */
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
export function sessionLines({ trace }: Divergence, wording: Wording = IN_WORDS): readonly string[] {
  const { principal, env, steps } = trace;
  const variables = Object.entries(env).map(([name, value]) => `environment ${name}=${value}`);
  return [...principalLines(principal, wording), ...variables, ...runs(steps.map((step) => stepText(step, wording)))];
}
