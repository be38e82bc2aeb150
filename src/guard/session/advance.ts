import { keptText } from "../../base/canonical-json.js";
import { withinBudget } from "../../base/cost.js";
import { addSums, sumOf } from "../../base/exact-sum.js";
import { invariant, unreachable } from "../../base/invariant.js";
import type { Json } from "../../base/json.js";
import type { Program, Tool } from "../program/program.js";
import { shiftOpen } from "./aggregate.js";
import { addCall, shiftOpenPart } from "./aggregate-parts.js";
import { endApproval, giveApproval, holdKey, requestApproval } from "./approval-events.js";
import type { Call } from "./call.js";
import { latestKey, loopKey } from "./call-digest.js";
import { addBlocks, countErrors, endSession } from "./circuit-breaker.js";
import type { SessionEvent } from "./event.js";
import { enterHistory, judgeArrived, NO_PRIORS } from "./history.js";
import { hasOpenEffects, OpenEffects } from "./open-effects.js";
import { addDenied, addLate, type DeniedCall, type Session, unsettledCall } from "./session.js";
import { arriveCollections, commitCollections, dispatchCollections, rejectCollections } from "./slots/commit-slots.js";
import { NO_OUTPUT, settleWrites, unsetValues, writeValues } from "./writes.js";

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
    if (compiled === undefined || state === undefined) continue;
    if (state.parts === null) shiftOpen(compiled, state, args, sign);
    else shiftOpenPart(compiled, state.parts, args, sign);
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
    if (compiled !== undefined && state !== undefined) addCall(compiled, state, args);
  }
  if (step === -1) session.sureOwnSteps += 1;
}

function countForGood(program: Program, session: Session, call: Call): void {
  addToTotals(program, session, call);
  // This call stays, so releasing an earlier one cannot bring its blocks back.
  // Invariant: all calls before a superseded one are superseded.
  for (let other = call.before; other !== null && !other.isSuperseded; other = other.before) other.isSuperseded = true;
}

/** Arguments too large to be compared are refused when the comparison is needed. */
function rememberedKey(tool: string, args: Json): string {
  return (
    latestKey(tool, args) ??
    withinBudget(
      () => loopKey(tool, args),
      () => `${keptText(tool)} with arguments too large`,
    )
  );
}

function rememberProposal(
  session: Session,
  tool: Tool,
  { args, digest }: SessionEvent & { readonly kind: "reserved" },
  loopWindow: number,
): void {
  session.recent.push(digest ?? rememberedKey(tool.name, args));
  if (session.recent.length >= loopWindow) session.recent.splice(0, session.recent.length - loopWindow + 1);
}

type ReservedEvent = SessionEvent & { readonly kind: "reserved" };
type SettledEvent = SessionEvent & { readonly kind: "settled" };

/** `isTracked` is false where nothing is decided before the call ends: nobody then asks what it may still change. */
function reserve(program: Program, session: Session, event: ReservedEvent, isTracked: boolean): void {
  const tool = program.tools.get(event.tool) ?? program.unmatched(event.tool);
  const step = session.openSteps > 0 ? session.openSteps : -1;
  session.toolCalls += 1;
  if (tool.isCounted) count(session, tool.name);
  if (step === -1) session.ownSteps += 1;
  else shiftStepCalls(session, step, 1);
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
    priors: NO_PRIORS,
    before: null,
    after: null,
    isListed: false,
  };
  session.blocksInRow = 0;
  if (!event.isApproved) session.issued += 1;
  session.unsettled.add(call);
  if (event.key !== undefined) holdKey(session, event.key, event);
  if (tool.commitsAtDispatch) commitAtDispatch(program, session, call);
  else if (isTracked) shiftOpenCall(program, session, call, 1);
}

function commitAtDispatch(program: Program, session: Session, call: Call): void {
  const { advancesTo } = call.tool;
  call.priors = enterHistory(program, session, call, undefined);
  countForGood(program, session, call);
  writeValues(session, call, undefined);
  dispatchCollections(session, call);
  if (advancesTo !== null && session.phase !== null) session.phase = advancesTo;
}

/** Calls of earlier steps do not matter any more. */
function shiftStepCalls(session: Session, step: number, sign: 1 | -1): void {
  if (session.stepCalls !== null && step === session.openSteps) session.stepCalls += sign;
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
  else shiftStepCalls(session, call.step, -1);
  if (call.isSuperseded) return;
  const later = call.after;
  if (later !== null) later.blocksBefore += call.blocksBefore;
  else addBlocks(program, session, call.blocksBefore);
}

/** The call is released; enough of it is kept to count it after all. A call that was never sent has no result. */
function deny(session: Session, { id, tool, args, step, origin }: Call): void {
  if (origin !== "unanswered") addDenied(session, id, { tool, args, step });
}

/** A call happened and binds nothing: what it may have changed is not known any more. */
function loseValues(session: Session, call: DeniedCall): void {
  unsetValues(session, call);
  rejectCollections(session, call);
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
  else shiftStepCalls(session, call.step, 1);
  addToTotals(program, session, call);
  loseValues(session, call);
}

function commit(program: Program, session: Session, call: Call, output: Json | undefined): void {
  const seen = output === undefined ? NO_OUTPUT : output;
  countForGood(program, session, call);
  enterHistory(program, session, call, seen);
  writeValues(session, call, seen);
  commitCollections(session, call, output);
  if (call.tool.advancesTo !== null && session.phase !== null) session.phase = call.tool.advancesTo;
}

/** The output of a call that was committed at dispatch: accepted, rejected, or known never to come. */
function arrive(program: Program, session: Session, call: Call, event: SettledEvent): void {
  const isRejected = event.ending === "violated";
  const output = isRejected || event.output === undefined ? NO_OUTPUT : event.output;
  judgeArrived(program, call, output);
  settleWrites(session, call, isRejected ? undefined : output);
  arriveCollections(session, call, isRejected ? undefined : event.output);
}

function settle(program: Program, session: Session, event: SettledEvent, isTracked: boolean): void {
  const call = unsettledCall(session, event.callId);
  invariant(call !== undefined, "only unsettled calls are settled");
  countErrors(program, session, event);
  if (event.ending === "indeterminate") {
    call.status = "indeterminate";
    if (!isTracked) shiftOpenCall(program, session, call, 1);
    return;
  }
  if (isTracked) shiftOpenCall(program, session, call, -1);
  if (call.tool.commitsAtDispatch) {
    arrive(program, session, call, event);
  } else if (event.ending === "released") {
    release(program, session, call);
    if (event.isDenied === true) deny(session, call);
  } else if (event.ending === "committed") commit(program, session, call, event.output);
  else {
    countForGood(program, session, call);
    loseValues(session, call);
  }
  session.unsettled.remove(call);
}

function markUnanswered(session: Session, callId: string): void {
  const call = unsettledCall(session, callId);
  invariant(call !== undefined, "only an unsettled reservation is unanswered");
  call.origin = "unanswered";
}

/** Applies a reservation whose call ends with `settleAtOnce` before anything else is decided. */
export function reserveAtOnce(program: Program, session: Session, event: ReservedEvent): void {
  reserve(program, session, event, false);
}

/** Applies the end of such a call. The session is the same as if both events had been applied one by one. */
export function settleAtOnce(program: Program, session: Session, event: SettledEvent): void {
  settle(program, session, event, false);
}

/** Applies one event to a session, in place. Deterministic: the same events give the same session. */
export function advance(program: Program, session: Session, event: SessionEvent): void {
  switch (event.kind) {
    case "reserved":
      reserve(program, session, event, true);
      break;
    case "unanswered":
      markUnanswered(session, event.callId);
      break;
    case "blocked":
      addBlocks(program, session, 1);
      break;
    case "settled":
      settle(program, session, event, true);
      break;
    case "late_result":
      addLate(session, event.callId);
      break;
    case "late_result_acknowledged":
      acknowledge(program, session, event);
      break;
    case "step_begun":
      session.openSteps += 1;
      if (session.stepCalls !== null) session.stepCalls = 0;
      break;
    case "cost_recorded":
      session.cost = addSums(session.cost, sumOf(event.usd));
      break;
    case "label_added":
      session.labels.add(event.label);
      break;
    case "killed":
      endSession(session, "kill", event.why);
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
