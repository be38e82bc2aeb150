import type { Certificate, CertifiedProof, Region, SessionSet, Statement } from "../artifact/certificate.js";
import type { Artifact, CompiledCheck, CompiledPack } from "../artifact/compiled.js";
import type { CompiledOperator } from "../artifact/compiled-value.js";
import { Transitions } from "./transitions.js";
import { type Asked, MOST, refusedTools } from "./values.js";

/** Why a certificate proves nothing of an artifact: a sentence; null if each of its statements holds. */
export function whyRejected(artifact: Artifact, { artifact: hash, proofs }: Certificate): string | null {
  if (hash !== artifact.hash) return `it is about the artifact ${hash}, and this one is ${artifact.hash}`;
  for (const [at, proof] of proofs.entries()) {
    const why = whyUnproved(artifact, proof);
    if (why !== null) return `proof ${at + 1} (${proof.statement.kind} of \`${proof.statement.tool}\`): ${why}`;
  }
  return null;
}

/** Why the states of a proof do not show its statement; null if they do. */
export function whyUnproved({ packs }: Artifact, proof: CertifiedProof): string | null {
  const { statement, assumes, regions } = proof;
  const pack = packs[proof.pack];
  if (pack === undefined) return "the artifact has no such pack";
  const isAssumed = assumes.includes("no_late_result") || statement.kind !== "at_most";
  if (!isAssumed || !assumes.includes("enforced")) return "it assumes too little";
  const isCovered = (refused: readonly string[]) =>
    regions.some(({ denied }) => denied.every((name) => refused.includes(name)));
  if (!refusedTools(pack).every(isCovered)) return "no states are given for some principal";
  return regions.map((region) => whyOpen(pack, region, statement)).find((why) => why !== null) ?? null;
}

/** Why sessions may leave the states of a region, or break the statement in one; null if they do neither. */
function whyOpen(pack: CompiledPack, region: Region, statement: Statement): string | null {
  const { tools, kept, hasPhases, counters, states } = region;
  const transitions = new Transitions(pack, region, statement);
  const other = "prior" in statement ? statement.prior : "after" in statement ? statement.after : null;
  const moving = hasPhases ? pack.tools.filter((each) => each.advances_to !== null && !transitions.isShut(each)) : [];
  const needed = [statement.tool, other ?? statement.tool, ...moving.map(({ name }) => name), ...kept];
  if (!needed.every((name) => tools.includes(name))) return "a tool is left out";
  if (tools.some((name) => transitions.tool(name) === undefined)) return "it names a tool of another pack";
  if (counters.some((counter) => transitions.most(counter) === null)) return "a counter may be lowered";
  const first = { phase: hasPhases ? (pack.phases?.initial ?? null) : null, past: 0, committed: [], open: [] };
  const isKnown = (state: SessionSet) => states.some((known) => isPart(state, known));
  if (!isKnown({ ...first, counts: counters.map(() => 0) })) return "the first state is not among them";
  for (const [at, state] of states.entries()) {
    if (state.counts.length !== counters.length || (state.phase !== null) !== hasPhases)
      return `state ${at + 1} has another form`;
    if (isBad(state, statement, transitions)) return `what it rules out may happen in state ${at + 1}`;
    for (const next of transitions.after(state)) if (!isKnown(next)) return `a step leaves state ${at + 1}`;
  }
  return null;
}

function callsOf(calls: number | null | undefined): number {
  return calls === undefined ? 0 : (calls ?? Number.POSITIVE_INFINITY);
}

/** Whether all sessions of a state are among those of another one. */
function isPart(inner: SessionSet, outer: SessionSet): boolean {
  const openIn = (name: string) => callsOf(outer.open.find(({ tool }) => tool === name)?.calls);
  return (
    inner.phase === outer.phase &&
    inner.past === outer.past &&
    inner.committed.every((name) => outer.committed.includes(name)) &&
    inner.open.every(({ tool, calls }) => callsOf(calls) <= openIn(tool)) &&
    inner.counts.every((count, at) => count >= (outer.counts[at] ?? 0))
  );
}

/** Whether a session of a state may break a statement. */
function isBad(state: SessionSet, statement: Statement, transitions: Transitions): boolean {
  const tool = transitions.tool(statement.tool);
  if (tool === undefined) return true;
  const mayCall = (asked: readonly Asked[]) => transitions.mayCall(tool, state, asked);
  switch (statement.kind) {
    case "never_allowed":
    case "never_without_prior":
      return mayCall([]);
    case "never_after":
      return state.past > 0 && mayCall([]);
    case "at_most":
      return state.past + callsOf(state.open.find((each) => each.tool === tool.name)?.calls) > statement.calls;
    case "never_when_label":
      return mayCall([]) && !tool.checks.some((each) => each.kind === "label_gate" && each.label === statement.label);
    case "requires_approval":
      return silent(
        tool.checks,
        statement.when.filter(({ path }) => path.kind === "definite"),
      ).some(mayCall);
  }
}

/** The ways in which a call that is named is not asked about by a checkpoint whose expiry denies. */
function silent(checks: readonly CompiledCheck[], named: readonly Asked[]): readonly (readonly Asked[])[] {
  let ways: readonly (readonly Asked[])[] = [named];
  for (const check of checks) {
    if (check.kind !== "checkpoint" || check.on_timeout === "allow") continue;
    const failing = check.when?.map((each) => ("that" in each ? [[]] : failingBy(each))) ?? [];
    const choices = check.match === "all" && check.when !== null ? [failing.flat()] : failing;
    if (check.when === null) ways = [];
    for (const own of choices)
      if (ways.length * own.length <= MOST) ways = ways.flatMap((way) => own.map((more) => [...way, ...more]));
  }
  return ways;
}

/** For each operator of a condition, what a value satisfies for which it is false. */
function failingBy({ path, operators }: Asked): readonly (readonly Asked[])[] {
  return operators.map((operator) => {
    const opposite = oppositeOf(operator);
    return path.kind !== "definite" || opposite === null ? [] : [{ path, operators: [opposite] }];
  });
}

function oppositeOf(operator: CompiledOperator): CompiledOperator | null {
  const { op } = operator;
  if (op === "equals" || op === "not_equals")
    return { op: op === "equals" ? "not_equals" : "equals", value: operator.value };
  if (op === "gte" || op === "lt") return { op: op === "gte" ? "lt" : "gte", value: operator.value };
  if (op === "gt" || op === "lte") return { op: op === "gt" ? "lte" : "gt", value: operator.value };
  return null;
}
