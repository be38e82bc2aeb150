import type { SessionContract } from "../../../src/language/schema/session.js";
import type { Precondition } from "../../../src/language/schema/tool.js";
import { type Check, plainCheck, type Result, type Situation, wordsOf } from "./check.js";
import { type Call, completedSteps, currentStep, isEarlier, labelsOf } from "./history.js";
import { isSame } from "./json.js";
import { allows, denies, judgeEntry } from "./judge.js";
import { contractOf } from "./model.js";
import { valueAt } from "./select.js";
import { phaseIn, type World } from "./worlds.js";

/** Check 2: `gate`, else the risk default of the tool's side effect; what is not listed is allowed. */
function* gate({ pack, contract }: Situation): Generator<Check> {
  if (contract === null) return;
  yield plainCheck("gate_blocked", true, () => contract.gate !== "block");
  const byRisk = pack.session?.risk_defaults?.[contract.side_effect];
  yield plainCheck("risk_blocked", true, () => contract.gate !== undefined || byRisk !== "block");
}

type Rule = NonNullable<NonNullable<NonNullable<SessionContract["policy"]>["rules"]>[number]["allow"]>;

/**
 * Check 3: any matching deny blocks; of the allow entries that cover the tool one must match; else `default_deny`. The words are those
 * of the entry that denies, or of the only one that could have allowed.
 */
function policy({ pack, options, contract }: Situation): Check {
  const rules = pack.session?.policy;
  const covers = ({ tools }: Rule): boolean =>
    tools === undefined || (contract !== null && tools.includes(contract.tool));
  const session = (kind: "allow" | "deny"): readonly Rule[] =>
    (rules?.rules ?? []).flatMap((rule) => rule[kind] ?? []).filter(covers);
  const denying = [...session("deny"), ...(contract?.policy?.deny ?? [])];
  const allowing = [...session("allow"), ...(contract?.policy?.allow ?? [])];
  const who = options.principal ?? {};
  const check = (holds: boolean, because?: string) => plainCheck("policy_denied", true, () => holds, because);
  const denied = denying.find(({ principal }) => denies(principal, who, options.env));
  if (denied !== undefined) return check(false, wordsOf(denied));
  if (allowing.length === 0) return check(rules?.default_deny !== true);
  const isAllowed = allowing.some(({ principal }) => allows(principal, who, options.env));
  return check(isAllowed, allowing.length === 1 ? wordsOf(allowing[0]) : undefined);
}

/** Check 4: a label of the session denies the tool. */
function labelGate({ pack, events, tool }: Situation): Check {
  const gates = pack.session?.policy?.label_gates ?? [];
  const closed = gates.find(
    ({ when_label, deny_tools }) => deny_tools.includes(tool) && labelsOf(events).includes(when_label),
  );
  return plainCheck("label_gated", true, () => closed === undefined, closed?.reason);
}

/** Check 5: the phase, then the edge to `advances_to`; staying needs no edge. */
function judgePhase({ pack, contract }: Situation, world: World): Result {
  const transitions = contract?.transitions;
  if (transitions === undefined) return "pass";
  const phase = phaseIn(pack, world);
  if (phase === null) return "pass";
  if (!transitions.valid_in_phases.includes(phase)) return "phase_not_allowed";
  const next = transitions.advances_to ?? phase;
  const followers = new Map(Object.entries(pack.session?.transitions ?? {})).get(phase) ?? [];
  return next === phase || followers.includes(next) ? "pass" : "transition_not_allowed";
}

/** Check 6: `forbids_after` of any counted call. */
function judgeForbidden({ pack, tool }: Situation, world: World): Result {
  const isForbidden = world.counted.some((call) => contractOf(pack, call.tool)?.forbids_after?.includes(tool));
  return isForbidden ? "forbidden_after" : "pass";
}

type WithOutput = NonNullable<Precondition["with_output"]>;

/** An output that never came satisfies nothing. */
function judgeOutput({ options }: Situation, { output }: Call, wanted: WithOutput): Result {
  if (output.kind === "unknown") return "unknown";
  if (output.kind !== "known") return "prior_output_mismatch";
  const holds = wanted.every((entry) => judgeEntry(entry, output.value, options.env) === "true");
  return holds ? "pass" : "prior_output_mismatch";
}

/** Check 7, first half: a committed call of the prior tool from an earlier step, with the wanted output. */
function judgePrior(situation: Situation, entry: Precondition, world: World): Result {
  const { requires_prior_tool: prior, with_output: wanted, resource } = entry;
  if (prior === undefined) return "pass";
  const isSameEntity = (call: Call): boolean => {
    if (resource === undefined) return true;
    const [theirs, ours] = [valueAt(resource.path, call.args), valueAt(resource.path, situation.args)];
    return theirs !== undefined && ours !== undefined && isSame(theirs, ours);
  };
  const such = world.commits.filter((call) => call.tool === prior && isSameEntity(call));
  const latest = such.at(-1);
  const latestEarlier = such.filter((call) => isEarlier(call, currentStep(situation.events))).at(-1);
  if (latest === undefined || latestEarlier === undefined) return "prior_tool_missing";
  if (wanted === undefined) return "pass";
  const results = [latestEarlier, latest].map((call) => judgeOutput(situation, call, wanted));
  return results.find((result) => result === "prior_output_mismatch") ?? results.find((r) => r === "unknown") ?? "pass";
}

function* preconditions(situation: Situation): Generator<Check> {
  for (const entry of situation.contract?.preconditions ?? []) {
    yield {
      reasons: ["prior_tool_missing", "prior_output_mismatch"],
      hides: entry.resource === undefined,
      because: wordsOf(entry),
      judge: (world) => judgePrior(situation, entry, world),
    };
    const completed = completedSteps(situation.events, situation.calls);
    const isLateEnough = () => completed >= (entry.requires_step_count?.gte ?? 0);
    yield plainCheck("step_count_too_low", true, isLateEnough, wordsOf(entry));
  }
}

/** Checks 2 to 7: may the tool be called at all, and is now the time? */
export function* orderChecks(situation: Situation): Generator<Check> {
  yield* gate(situation);
  yield policy(situation);
  yield labelGate(situation);
  yield {
    reasons: ["phase_not_allowed", "transition_not_allowed"],
    hides: true,
    because: wordsOf(situation.contract?.transitions),
    judge: (world) => judgePhase(situation, world),
  };
  yield { reasons: ["forbidden_after"], hides: true, judge: (world) => judgeForbidden(situation, world) };
  yield* preconditions(situation);
}
