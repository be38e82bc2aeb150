import { keptText } from "../../base/canonical-json.js";
import { sharingBudget, withinBudget } from "../../base/cost.js";
import { addSums, sumOf } from "../../base/exact-sum.js";
import { invariant, unreachable } from "../../base/invariant.js";
import type { Json } from "../../base/json.js";
import { judgeOutput } from "../checks/precondition.js";
import type { Program, Tool } from "../program/program.js";
import { addContribution, countedContribution, shiftOpen } from "./aggregate.js";
import type { Call, PriorCall } from "./call.js";
import { loopKey } from "./call-digest.js";
import { CallKeys } from "./call-keys.js";
import { entityOf } from "./entity.js";
import type { KillCause, SessionEvent } from "./event.js";
import { hasOpenEffects, OpenEffects } from "./open-effects.js";
import type { PendingApproval } from "./pending-approval.js";
import { addDenied, addLate, type DeniedCall, type Session, unsettledCall } from "./session.js";
import { NO_OUTPUT, settleWrites, writeValues } from "./writes.js";

const NOTHING: readonly never[] = Object.freeze([]);

/**
 * Keeps only the calls that a precondition can still ask for: a later call of the same or an earlier step replaces this one, and
 * of the steps before the open one only the latest call matters.
 */
function addPrior(priors: PriorCall[], prior: PriorCall, openStep: number): void {
  while (priors.length > 0 && (priors.at(-1)?.step ?? -1) >= prior.step) priors.pop();
  priors.push(prior);
  const latest = priors.findLastIndex(({ step }) => step < openStep);
  if (latest > 0) priors.splice(0, latest);
}

/** Adds a committed call to the history that preconditions read; an output that has not arrived is `undefined`. */
function enterHistory(
  program: Program,
  session: Session,
  { tool, args, step }: Call,
  output: Json | undefined,
): readonly PriorCall[] {
  if (tool.watches.length === 0) return NOTHING;
  return sharingBudget(() =>
    tool.watches.flatMap((watch) => {
      const entity = entityOf(watch, args);
      const byEntity = session.priors[watch.index];
      if (entity === null || byEntity === undefined) return [];
      const { satisfies, miss } = judgeOutput(watch, output, program.env);
      const prior = { step, satisfies, miss };
      const priors = byEntity.get(entity) ?? [];
      byEntity.set(entity, priors);
      addPrior(priors, prior, session.openSteps);
      return [prior];
    }),
  );
}

/** Adds an unsettled call to what the open calls may still change (1), or removes it (-1). */
export function shiftOpenCall(program: Program, session: Session, call: Call, sign: 1 | -1): void {
  const { tool, args } = call;
  if (tool.commitsAtDispatch) return;
  const { aggregates } = tool;
  // By index, as every call comes here: `for of` takes three times the bytecode, which is then not inlined.
  for (let at = 0; at < aggregates.length; at++) {
    const index = aggregates[at] ?? -1;
    const compiled = program.aggregates[index];
    const state = session.aggregates[index];
    if (compiled !== undefined && state !== undefined) shiftOpen(compiled, state, args, sign);
  }
  if (hasOpenEffects(tool)) shiftEffects(session, call, sign);
}

function shiftEffects(session: Session, call: Call, sign: 1 | -1): void {
  session.open ??= new OpenEffects();
  session.open.shift(call, sign);
  if (session.open.isEmpty) session.open = null;
}

function addToTotals(program: Program, session: Session, { tool, args, step }: DeniedCall): void {
  for (const index of tool.aggregates) {
    const compiled = program.aggregates[index];
    const state = session.aggregates[index];
    const contribution = compiled === undefined ? null : countedContribution(compiled, args);
    if (compiled !== undefined && state !== undefined && contribution) addContribution(compiled, state, contribution);
  }
  if (step === -1) session.sureOwnSteps += 1;
}

function countForGood(program: Program, session: Session, call: Call): void {
  addToTotals(program, session, call);
  // This call stays, so releasing an earlier one cannot bring its blocks back.
  // Invariant: all calls before a superseded one are superseded.
  for (let other = call.before; other !== null && !other.isSuperseded; other = other.before) other.isSuperseded = true;
}

function rememberProposal(
  session: Session,
  tool: Tool,
  { args, digest }: SessionEvent & { readonly kind: "reserved" },
  loopWindow: number,
): void {
  // Arguments too large to be compared are refused when the comparison is needed.
  session.recent.push(
    digest ??
      withinBudget(
        () => loopKey(tool.name, args),
        () => `${keptText(tool.name)} with arguments too large`,
      ),
  );
  if (session.recent.length >= loopWindow) session.recent.splice(0, session.recent.length - loopWindow + 1);
}

function reserve(program: Program, session: Session, event: SessionEvent & { readonly kind: "reserved" }): void {
  const tool = program.tools.get(event.tool) ?? program.unmatched(event.tool);
  const step = session.openSteps > 0 ? session.openSteps : -1;
  session.toolCalls += 1;
  if (tool.isCounted) count(session, tool.name);
  if (step === -1) session.ownSteps += 1;
  if (tool.loopWindow !== null) rememberProposal(session, tool, event, tool.loopWindow);
  const call: Call = {
    id: event.callId,
    tool,
    args: event.args,
    step,
    status: "running",
    origin: event.isApproved ? "approved" : "proposed",
    key: event.key,
    since: event.at ?? null,
    blocksBefore: session.blocksInRow,
    isSuperseded: false,
    priors: NOTHING,
    before: null,
    after: null,
    isListed: false,
  };
  session.blocksInRow = 0;
  if (!event.isApproved) session.issued += 1;
  session.unsettled.add(call);
  if (event.key !== undefined) holdKey(session, event.key, event);
  if (tool.commitsAtDispatch) commitAtDispatch(program, session, call);
  else shiftOpenCall(program, session, call, 1);
}

function commitAtDispatch(program: Program, session: Session, call: Call): void {
  const { advancesTo } = call.tool;
  call.priors = enterHistory(program, session, call, undefined);
  countForGood(program, session, call);
  writeValues(session, call, undefined);
  if (advancesTo !== null && session.phase !== null) session.phase = advancesTo;
}

function count({ callsOf }: Session, tool: string): void {
  callsOf.set(tool, (callsOf.get(tool) ?? 0) + 1);
}

function uncount({ callsOf }: Session, tool: string): void {
  const calls = (callsOf.get(tool) ?? 0) - 1;
  if (calls > 0) callsOf.set(tool, calls);
  else callsOf.delete(tool);
}

function release(program: Program, session: Session, call: Call): void {
  session.toolCalls -= 1;
  if (call.tool.isCounted) uncount(session, call.tool.name);
  if (call.step === -1) session.ownSteps -= 1;
  if (call.isSuperseded) return;
  const later = call.after;
  if (later !== null) later.blocksBefore += call.blocksBefore;
  else addBlocks(program, session, call.blocksBefore);
}

/** The call is released; enough of it is kept to count it after all. A call that was never sent has no result. */
function deny(session: Session, { id, tool, args, step, origin }: Call): void {
  if (origin !== "unanswered") addDenied(session, id, { tool, args, step });
}

/**
 * A result came, and somebody found out whether its call happened. Then it counts, whatever bounds that exceeds; where it stands
 * among the other calls is unknown, so it satisfies, binds and advances nothing.
 */
function acknowledge(
  program: Program,
  session: Session,
  { callId, happened }: SessionEvent & { readonly kind: "late_result_acknowledged" },
): void {
  const call = session.denied.get(callId);
  invariant(call !== undefined && session.late.delete(callId), "only late results are acknowledged");
  session.denied.delete(callId);
  if (!happened) return;
  session.toolCalls += 1;
  if (call.tool.isCounted) count(session, call.tool.name);
  if (call.step === -1) session.ownSteps += 1;
  addToTotals(program, session, call);
}

function commit(program: Program, session: Session, call: Call, output: Json | undefined): void {
  const seen = output === undefined ? NO_OUTPUT : output;
  countForGood(program, session, call);
  enterHistory(program, session, call, seen);
  writeValues(session, call, seen);
  if (call.tool.advancesTo !== null && session.phase !== null) session.phase = call.tool.advancesTo;
}

/** The output of a call that was committed at dispatch: accepted, rejected, or known never to come. */
function arrive(
  program: Program,
  session: Session,
  call: Call,
  event: SessionEvent & { readonly kind: "settled" },
): void {
  const isRejected = event.ending === "violated";
  const output = isRejected || event.output === undefined ? NO_OUTPUT : event.output;
  const watches = call.tool.watches.filter((watch) => entityOf(watch, call.args) !== null);
  sharingBudget(() =>
    call.priors.forEach((prior, at) => {
      const watch = watches[at];
      if (watch === undefined) return;
      const { satisfies, miss } = judgeOutput(watch, output, program.env);
      prior.satisfies = satisfies;
      prior.miss = miss;
    }),
  );
  settleWrites(session, call, isRejected ? undefined : output);
}

function settle(program: Program, session: Session, event: SessionEvent & { readonly kind: "settled" }): void {
  const call = unsettledCall(session, event.callId);
  invariant(call !== undefined, "only unsettled calls are settled");
  countErrors(program, session, event);
  if (event.ending === "indeterminate") {
    call.status = "indeterminate";
    return;
  }
  shiftOpenCall(program, session, call, -1);
  if (call.tool.commitsAtDispatch) {
    arrive(program, session, call, event);
  } else if (event.ending === "released") {
    release(program, session, call);
    if (event.isDenied === true) deny(session, call);
  } else if (event.ending === "committed") commit(program, session, call, event.output);
  else countForGood(program, session, call);
  session.unsettled.remove(call);
}

/** A session ends once: later kills do not change the reason. */
function end(session: Session, cause: KillCause, why: string): void {
  if (session.isKilled) return;
  session.isKilled = true;
  session.killedWhy = why;
  session.killedBy = cause;
}

function countErrors(program: Program, session: Session, { sign }: SessionEvent & { readonly kind: "settled" }): void {
  if (sign === "success") session.errorsInRow = 0;
  if (sign !== "error") return;
  session.errorsInRow += 1;
  const most = program.pack.circuit_breaker.consecutive_errors;
  if (most !== null && session.errorsInRow >= most) end(session, "consecutive_errors", `${most} errors in a row`);
}

function addBlocks(program: Program, session: Session, blocks: number): void {
  session.blocksInRow += blocks;
  const most = program.pack.circuit_breaker.consecutive_blocks;
  if (most !== null && session.blocksInRow >= most) end(session, "consecutive_blocks", `${most} blocks in a row`);
}

function holdKey(
  session: Session,
  key: string,
  call: Pick<PendingApproval, "callId" | "tool" | "args" | "digest">,
): void {
  session.keys ??= new CallKeys();
  session.keys.hold(session, key, call);
}

function requestApproval(session: Session, request: PendingApproval): void {
  session.approval = request;
  session.issued += 1;
  if (request.key !== undefined) holdKey(session, request.key, request);
}

/** How many ended approvals are remembered, and how many of them that can be resumed, which keep their arguments. */
const MOST_ENDED = 10_000;
const MOST_RESUMABLE = 100;

function dropOldest<T>(map: Map<string, T>, most: number): T | undefined {
  if (map.size <= most) return undefined;
  const [oldest] = map;
  if (oldest === undefined) return undefined;
  map.delete(oldest[0]);
  return oldest[1];
}

/** A refused call releases its key; an approved one takes it again when it is reserved. */
function releaseKey({ keys }: Session, request: PendingApproval | undefined): void {
  if (request?.key !== undefined) keys?.release(request.key, request.callId);
}

function endApproval(session: Session, { approvalId, end }: SessionEvent & { readonly kind: "approval_ended" }): void {
  const pending = session.approval?.id === approvalId ? session.approval : null;
  const request = pending ?? session.resumable.get(approvalId);
  invariant(request !== undefined, "only approvals that were asked for end");
  session.resumable.delete(approvalId);
  const { callId, rule } = request;
  const isResumable = end === "granted" || (end === "expired" && request.onTimeout === "allow");
  session.answered.set(approvalId, rule === undefined ? { end, callId } : { end, callId, rule });
  dropOldest(session.answered, MOST_ENDED);
  if (isResumable) {
    // The call may still be resumed; until then it keeps its key.
    session.resumable.set(approvalId, request);
    releaseKey(session, dropOldest(session.resumable, MOST_RESUMABLE));
  } else releaseKey(session, request);
  if (pending !== null) session.approval = null;
}

function giveApproval(session: Session, { approvalId, by }: SessionEvent & { readonly kind: "approval_given" }): void {
  const { approval } = session;
  invariant(approval?.id === approvalId, "only a pending request is approved");
  session.approval = { ...approval, approvedBy: [...(approval.approvedBy ?? []), by] };
}

function markUnanswered(session: Session, callId: string): void {
  const call = unsettledCall(session, callId);
  invariant(call !== undefined, "only an unsettled reservation is unanswered");
  call.origin = "unanswered";
}

/** Applies one event to a session, in place. Deterministic: the same events give the same session. */
export function advance(program: Program, session: Session, event: SessionEvent): void {
  switch (event.kind) {
    case "reserved":
      reserve(program, session, event);
      break;
    case "unanswered":
      markUnanswered(session, event.callId);
      break;
    case "blocked":
      addBlocks(program, session, 1);
      break;
    case "settled":
      settle(program, session, event);
      break;
    case "late_result":
      addLate(session, event.callId);
      break;
    case "late_result_acknowledged":
      acknowledge(program, session, event);
      break;
    case "step_begun":
      session.openSteps += 1;
      break;
    case "cost_recorded":
      session.cost = addSums(session.cost, sumOf(event.usd));
      break;
    case "label_added":
      session.labels.add(event.label);
      break;
    case "killed":
      end(session, "kill", event.why);
      break;
    case "approval_requested":
      requestApproval(session, event.request);
      break;
    case "approval_given":
      giveApproval(session, event);
      break;
    case "approval_ended":
      endApproval(session, event);
      break;
    default:
      unreachable(event);
  }
}
