import type { CheckOf } from "../../artifact/compiled.js";
import type { Place } from "../../artifact/compiled-value.js";
import { withinShare } from "../../base/cost.js";
import type { Json, JsonObject } from "../../base/json.js";
import { wantedOf } from "../../operators/wording.js";
import { foundBy, unsetVariable } from "../decide/found.js";
import { type Block, block, blockUntil } from "../decide/verdict.js";
import type { Check, Run } from "../program/program.js";
import type { Watch } from "../program/tool-effects.js";
import type { PriorCall } from "../session/call.js";
import { judgedEntity } from "../session/entity.js";
import type { Session } from "../session/session.js";
import { NO_OUTPUT } from "../session/writes.js";
import { type Environment, judgeEntry } from "../values/judge-value.js";

/** The latest committed call from a step before the open one. */
function latestEarlier(priors: readonly PriorCall[], openStep: number): PriorCall | undefined {
  if (openStep === 0) return priors.at(-1);
  return priors.findLast(({ step }) => step < openStep);
}

/** Built only when a call is refused. */
function neededCall({ tool, resource }: Watch): string {
  return `a committed call of \`${tool}\`${resource === null ? "" : ` for the same ${resource.text}`} from an earlier step`;
}

type JudgedOutput = Readonly<Pick<PriorCall, "satisfies" | "miss">>;

const SATISFIED: JudgedOutput = Object.freeze({ satisfies: true, miss: null });
const AWAITED: JudgedOutput = Object.freeze({ satisfies: null, miss: null });

function judgeConditions(conditions: Watch["withOutput"], output: Json, env: Environment): JudgedOutput {
  const entry = conditions.findIndex((condition) => judgeEntry(condition, output, env) !== true);
  const failed = conditions[entry];
  if (failed === undefined) return SATISFIED;
  return { satisfies: false, miss: { entry, found: foundBy(failed, output, env) } };
}

/**
 * Judges an output for a precondition; undefined is one that has not arrived. All preconditions that watch a call share one
 * budget, which the caller has opened.
 */
export function judgeOutput({ withOutput }: Watch, output: Json | undefined, env: Environment): JudgedOutput {
  if (withOutput.length === 0) return SATISFIED;
  if (output === undefined) return AWAITED;
  if (output === NO_OUTPUT) return { satisfies: false, miss: { entry: null, found: "no output" } };
  return withinShare(
    () => judgeConditions(withOutput, output, env),
    () => ({ satisfies: false, miss: { entry: null, found: "an output that takes too much work to judge" } }),
  );
}

/** Names the condition that the latest output failed; calling the tool again helps only if its output changes. */
function mismatch(at: Place, watch: Watch, { miss }: PriorCall, env: Environment): Block {
  const failed = watch.withOutput[miss?.entry ?? 0];
  const unset = failed === undefined ? null : unsetVariable([failed], env);
  const wanted =
    failed === undefined ? "the required output" : `an output with ${wantedOf(failed.path.text, failed.operators)}`;
  const found =
    miss === null ? "another output" : miss.entry === null ? miss.found : `${failed?.path.text} ${miss.found}`;
  const required = `${neededCall(watch)} and ${wanted}`;
  return unset === null
    ? block("prior_output_mismatch", at, required, `\`${watch.tool}\` answered with ${found}`, "other_output")
    : block("prior_output_mismatch", at, required, unset, "variable");
}

/** Tells apart what is still to be called from what was called and does not count yet. */
function missing(at: Place, watch: Watch, entity: string | null, session: Session, env: Environment): Block {
  const { tool, resource } = watch;
  const needed = neededCall(watch);
  if (entity === null) {
    const place = `a value at ${resource?.text}`;
    return block("prior_tool_missing", at, `${place}, and ${needed}`, "nothing", "arguments");
  }
  const latest = session.priors[watch.index]?.get(entity)?.at(-1);
  if (latest?.satisfies === false) return { ...mismatch(at, watch, latest, env), reason: "prior_tool_missing" };
  if (latest?.satisfies === true) {
    return block("prior_tool_missing", at, needed, `a call of \`${tool}\` in this step`, "next_step");
  }
  return latest !== undefined || session.open?.hasPrior(watch, entity) === true
    ? block("prior_tool_missing", at, needed, "a call that has not settled", "settlement")
    : blockUntil([tool], "prior_tool_missing", at, needed, "none");
}

function prior(at: Place, watch: Watch, entity: string | null, session: Session, env: Environment): Block | null {
  const priors = entity === null ? undefined : session.priors[watch.index]?.get(entity);
  const earlier = priors === undefined ? undefined : latestEarlier(priors, session.openSteps);
  if (entity === null || earlier === undefined) return missing(at, watch, entity, session, env);
  if (watch.withOutput.length === 0) return null;
  const latest = priors?.at(-1);
  if (latest?.satisfies === false) return mismatch(at, watch, latest, env);
  if (earlier.satisfies === false) return mismatch(at, watch, earlier, env);
  const isOpen =
    earlier.satisfies === null || latest?.satisfies === null || session.open?.hasPrior(watch, entity) === true;
  return isOpen
    ? block("pending_conflict", at, `the output of \`${watch.tool}\``, "a call that has not settled")
    : null;
}

/** Adds the call for the same entity to a refusal that asks for one, so that the hint can tell what would refuse it. */
function withCall(refusal: Block | null, { tool, resource }: Watch, args: JsonObject): Block | null {
  if (refusal === null || refusal.after.length === 0 || resource?.kind !== "definite") return refusal;
  const [name, ...inside] = resource.steps;
  const entity = typeof name === "string" && Object.hasOwn(args, name) ? args[name] : undefined;
  if (typeof name !== "string" || entity === undefined || inside.length > 0) return refusal;
  // Not a literal: a name such as `__proto__` is one like any other.
  const call = { tool, text: `\`${tool}\` for the same ${resource.text}`, args: Object.fromEntries([[name, entity]]) };
  return { ...refusal, calls: [call] };
}

/** Of more entities than this a hint assumes that one satisfies the precondition: looking at all would take too long. */
const MOST_ENTITIES = 100;

/** Refuses a call before its required calls and steps. */
export function precondition(
  { at, step_count: least }: CheckOf<"precondition">,
  watch: Watch | null,
): Pick<Check, "run" | "blind" | "surely"> {
  const steps: Run = (_proposal, session) => {
    if (least === null) return null;
    const completed = Math.max(0, session.openSteps - 1) + session.sureOwnSteps;
    return completed >= least ? null : block("step_count_too_low", at, `${least} completed steps`, String(completed));
  };
  if (watch === null) return { run: steps, blind: steps, surely: steps };
  const run: Run = (proposal, session, program) =>
    withCall(prior(at, watch, judgedEntity(watch, proposal.args), session, program.env), watch, proposal.args) ??
    (least === null ? null : steps(proposal, session, program));
  if (watch.resource === null) return { run, blind: run, surely: run };
  // Without arguments the entity is unknown, but the number of steps is known, and what the entities so far lead to.
  const surely: Run = (proposal, session, program) => {
    const entities = session.priors[watch.index];
    if (entities === undefined || entities.size > MOST_ENTITIES) return steps(proposal, session, program);
    for (const entity of entities.keys())
      if (prior(at, watch, entity, session, program.env) === null) return steps(proposal, session, program);
    return run(proposal, session, program);
  };
  return { run, blind: steps, surely };
}
