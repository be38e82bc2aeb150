import { gateOf } from "../../analysis/diff/static/gate.js";
import type { ReportContent } from "../report-content.js";
import { counted } from "../sentence-words.js";
import type { PackView } from "./view.js";

/** The whole report in one line, with its rating. */
export interface Verdict {
  readonly tone: "good" | "warn" | "bad";
  readonly text: string;
}

type Count = readonly [count: number, words: string, tone: Verdict["tone"]];

function rulesCounts(views: readonly PackView[]): readonly Count[] {
  const results = views.flatMap(({ verification, suppressed }) =>
    (verification?.rules ?? []).map(({ rule, status }) => ({ status, isMeant: suppressed.rules.includes(rule) })),
  );
  const of = (wanted: string) => results.filter(({ status }) => status === wanted);
  // Results that are suppressed with a reason are intended.
  const tone = (wanted: string, worry: Verdict["tone"]) =>
    of(wanted).every(({ isMeant }) => isMeant) ? ("good" as const) : worry;
  return [
    [of("fires").length, "shown to fire", "good"],
    [of("never_alone").length, "seen only together with others", "good"],
    [of("cannot_fire").length, "proved never to fire", tone("cannot_fire", "bad")],
    [of("not_shown").length, "not shown to fire", tone("not_shown", "warn")],
  ];
}

/** The claims of the packs and those about roles. */
function claimCounts(views: readonly PackView[], { workflow }: ReportContent): readonly Count[] {
  const statuses = [...views.map(({ verification }) => verification), workflow].flatMap(
    (found) => found?.claims.map(({ status }) => status) ?? [],
  );
  const of = (wanted: string) => statuses.filter((status) => status === wanted).length;
  const proved = of("proved");
  const open = of("no_counterexample");
  const broken = of("violated");
  const claims = (count: number) => (count === 1 ? "claim" : "claims");
  return [
    [proved, `${claims(proved)} proved`, "good"],
    [open, `${claims(open)} without a counterexample`, "good"],
    [broken, `${claims(broken)} violated`, "bad"],
  ];
}

function otherCounts(views: readonly PackView[], content: ReportContent): readonly Count[] {
  const { findings, workflow, isDeadlockMeant } = content;
  // A session that uses up its calls is not counted: that is the purpose of a limit.
  const deadEnds = views.map(({ verification, suppressed }) => ({
    count: (verification?.stuck ?? []).filter(({ cause }) => cause !== "limits").length,
    isMeant: suppressed.isStuckMeant,
  }));
  const stuck = deadEnds.reduce((sum, { count }) => sum + count, 0);
  const isMeant = deadEnds.every(({ count, isMeant: meant }) => count === 0 || meant);
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const warnings = findings.length - errors;
  const waits = workflow?.deadlocks.length ?? 0;
  return [
    [waits, waits === 1 ? "deadlock" : "deadlocks", isDeadlockMeant ? "good" : "warn"],
    [stuck, stuck === 1 ? "dead end" : "dead ends", isMeant ? "good" : "warn"],
    [errors, errors === 1 ? "error" : "errors", "bad"],
    [warnings, warnings === 1 ? "warning" : "warnings", "warn"],
  ];
}

/** A summary of the changes since the older pack; those of a workflow are with a pack that may have no tools. */
function changeCounts({ difference }: ReportContent): readonly Count[] {
  const differences = difference.filter((found) => found !== null);
  const changes = differences.reduce((sum, difference) => sum + difference.changes.length, 0);
  const calls = differences.flatMap(({ divergences }) => divergences);
  const counts = (["allowed", "refused"] as const).map((now): Count => {
    const count = calls.filter((call) => call.now === now).length;
    return [count, `newly ${now} ${count === 1 ? "call" : "calls"} shown`, now === "allowed" ? "warn" : "good"];
  });
  const weaker = differences
    .flatMap((difference) => gateOf(difference).reasons)
    .filter(({ what }) => what !== "call" && what !== "search").length;
  return [
    [changes, changes === 1 ? "change" : "changes", "good"],
    ...counts,
    [weaker, "weaker or not shown to be as strong", "warn"],
  ];
}

/** Numbers of results, including what was not shown. */
export function verdictOf(views: readonly PackView[], content: ReportContent): Verdict {
  const rules = counted(
    views.reduce((sum, view) => sum + view.rules.all.length, 0),
    "rule",
  );
  const isVerified = views.every(({ verification }) => verification !== null);
  const parts = [
    rulesCounts(views),
    claimCounts(views, content),
    otherCounts(views, content),
    changeCounts(content),
  ].map((counts) => counts.filter(([count]) => count > 0));
  const [shown = [], ...others] = parts.map((counts) => counts.map(([count, words]) => `${count} ${words}`));
  const first = [rules, ...(isVerified ? shown : ["not verified"])].join(", ");
  const text = [first, ...others.map((words) => words.join(", "))].filter((words) => words !== "").join("; ");
  const tones = parts.flat().map(([, , tone]) => tone);
  if (tones.includes("bad")) return { tone: "bad", text };
  return { tone: tones.includes("warn") || !isVerified ? "warn" : "good", text };
}
