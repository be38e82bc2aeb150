import { EMPTY_SUM, type ExactSum } from "../../base/exact-sum.js";
import type { JsonPath } from "../../base/json-path.js";
import type { ReferenceName, StatefulRules } from "../program/tool-effects.js";
import type { Call, Possible, PriorCall } from "./call.js";
import type { CallKeys } from "./call-keys.js";
import { Calls } from "./calls.js";
import type { KillCause } from "./event.js";
import { NumberBag } from "./number-bag.js";
import type { OpenEffects } from "./open-effects.js";
import type { SessionApprovals } from "./pending-approval.js";
import { CommittedSlot } from "./slots/committed-slot.js";

/** Where in an output the value of a slot or a reference is. */
export interface Awaited {
  readonly path: JsonPath;
  /** The text there is JSON. */
  readonly decode?: "json";
}

/** A value that a committed call wrote. */
export interface Write {
  readonly value: Possible;
  /** The call, while it is committed but not settled. */
  readonly openCall: string | null;
  /** The place of the value in the output, until that arrives; null once the value is known. */
  readonly awaited: Awaited | null;
}

/**
 * The writes of committed calls to one place, the last one first; the last one counts. An immutable list of links, so that adding
 * costs the same however many writes are open, and copies of a session share it.
 * Invariant: nothing is kept behind the last write of a settled call; the write of an open call may still be dropped.
 */
export interface Writes {
  readonly last: Write;
  readonly before: Writes | null;
}

/** The state of one aggregate: calls that surely count, and apart from them the unsettled ones. */
export interface AggregateState {
  /** Sum, or number of calls. */
  total: ExactSum;
  /** What unsettled calls may still add to the total, and subtract from it. */
  raise: ExactSum;
  lower: ExactSum;
  /** Largest or smallest value so far. */
  extreme: number | null;
  /** The extreme of each unsettled call with values; null without such calls. */
  openExtremes: NumberBag | null;
  /** The keys of the distinct values. Memory grows with their number. */
  readonly distinct: Set<string>;
  /** By key, how many unsettled calls have it, and how many of the keys would be new; null without such calls. */
  openTexts: Map<string, number> | null;
  openNewTexts: number;
  /** With `per`, the state of each value; the other fields are not used then. Null without. */
  readonly parts: Map<string, AggregatePart> | null;
}

/** The part of an aggregate for one value of `per`. */
export interface AggregatePart {
  readonly key: string;
  readonly state: AggregateState;
  /** Whether a call has added to it for good. */
  isKept: boolean;
  /** How many unsettled calls may add to it. */
  open: number;
}

/** What one call adds to one aggregate; null if it adds nothing. */
export interface Contribution {
  readonly total: ExactSum;
  readonly values: readonly number[];
  readonly distinct: readonly string[];
}

/** What it takes to count a call after all. */
export type DeniedCall = Pick<Call, "tool" | "args" | "step">;

/** Everything that checks read of a session. Only `advance` changes it. */
export interface Session extends SessionApprovals {
  isKilled: boolean;
  /** Why the session ended, and by what; "" and null before. */
  killedWhy: string;
  killedBy: KillCause | null;
  phase: string | null;
  openSteps: number;
  /** Steps of calls that were steps of their own: all of them, and those that surely happened. */
  ownSteps: number;
  sureOwnSteps: number;
  toolCalls: number;
  /** Calls of the step that was opened last; null if no rule counts them. */
  stepCalls: number | null;
  /** For tools whose calls some check counts. */
  readonly callsOf: Map<string, number>;
  /** The plain slots. */
  readonly slots: Map<string, Writes>;
  /** The keyed slots and unions. */
  readonly collections: ReadonlyMap<string, CommittedSlot>;
  /** Per watch, committed calls by entity; "" if the precondition names none. */
  readonly priors: Map<string, PriorCall[]>[];
  readonly aggregates: AggregateState[];
  readonly references: Map<ReferenceName, Writes>[];
  readonly labels: Set<string>;
  cost: ExactSum;
  readonly unsettled: Calls;
  /** Calls that were settled as `did_not_happen`: a result may still come. */
  denied: Map<string, DeniedCall>;
  /** Those of them whose result came, until somebody acknowledges it. */
  late: Set<string>;
  /** What unsettled calls may still change beside totals; null if nothing. */
  open: OpenEffects | null;
  /** The keys of the last allowed proposals, oldest first. */
  readonly recent: string[];
  blocksInRow: number;
  errorsInRow: number;
  /** The keys that calls were proposed with; null if none was. */
  keys: CallKeys | null;
  /** How many ids were issued; ids are never used twice. */
  issued: number;
}

/** The id of the call with a serial number. */
export function callIdOf(serial: number): string {
  return `call_${serial}`;
}

/** The unsettled call of an id. */
export function unsettledCall({ unsettled }: Session, callId: string): Call | undefined {
  return unsettled.find(callId);
}

/** Shared by all sessions without such calls, which are nearly all: an empty map of its own takes 200 bytes. Never written to. */
const NONE_DENIED: Map<string, DeniedCall> = new Map();
const NONE_LATE: Set<string> = new Set();

/** Adds a call that was settled as `did_not_happen`. */
export function addDenied(session: Session, callId: string, call: DeniedCall): void {
  if (session.denied === NONE_DENIED) session.denied = new Map();
  session.denied.set(callId, call);
}

/** Adds a call whose result came too late. */
export function addLate(session: Session, callId: string): void {
  if (session.late === NONE_LATE) session.late = new Set();
  session.late.add(callId);
}

/** An aggregate before its first call. */
export function newAggregate(isPerValue: boolean): AggregateState {
  return {
    total: EMPTY_SUM,
    raise: EMPTY_SUM,
    lower: EMPTY_SUM,
    extreme: null,
    openExtremes: null,
    distinct: new Set(),
    openTexts: null,
    openNewTexts: 0,
    parts: isPerValue ? new Map() : null,
  };
}

/** Whether the calls of a step are limited; every tool then has the limit, also those without a contract. */
export function countsStepCalls({ pack }: Pick<StatefulRules, "pack">): boolean {
  return pack.unmatched_checks.some(({ kind }) => kind === "max_calls_per_step");
}

const NO_COLLECTIONS: Session["collections"] = new Map();

function newCollections({ collections }: StatefulRules): Session["collections"] {
  if (collections.length === 0) return NO_COLLECTIONS;
  return new Map(collections.map(({ name, depth, limit }) => [name, CommittedSlot.of(depth, limit)]));
}

function copyCollections(collections: Session["collections"]): Session["collections"] {
  if (collections.size === 0) return NO_COLLECTIONS;
  return new Map(Array.from(collections, ([name, slot]) => [name, slot.copy()]));
}

/** A session before its first call. */
export function newSession(program: StatefulRules): Session {
  return {
    isKilled: false,
    killedWhy: "",
    killedBy: null,
    phase: program.pack.phases?.initial ?? null,
    openSteps: 0,
    ownSteps: 0,
    sureOwnSteps: 0,
    toolCalls: 0,
    stepCalls: countsStepCalls(program) ? 0 : null,
    callsOf: new Map(),
    slots: new Map(),
    collections: newCollections(program),
    priors: program.watches.map(() => new Map()),
    aggregates: program.aggregates.map(({ per }) => newAggregate(per !== undefined)),
    references: program.envelopes.map(() => new Map()),
    labels: new Set(),
    cost: EMPTY_SUM,
    unsettled: new Calls(),
    denied: NONE_DENIED,
    late: NONE_LATE,
    open: null,
    recent: [],
    blocksInRow: 0,
    errorsInRow: 0,
    approval: null,
    answered: new Map(),
    resumable: new Map(),
    keys: null,
    issued: 0,
  };
}

/** Copies the history of preconditions; the copies are added to `copies`, or the calls are shared if that is null. */
function copyPriors(byEntity: ReadonlyMap<string, readonly PriorCall[]>, copies: Map<PriorCall, PriorCall> | null) {
  const copy = new Map<string, PriorCall[]>();
  for (const [entity, calls] of byEntity) {
    const own = [...calls];
    if (copies !== null) {
      own.forEach((prior, at) => {
        const twin = { ...prior };
        own[at] = twin;
        copies.set(prior, twin);
      });
    }
    copy.set(entity, own);
  }
  return copy;
}

function copyAggregate(state: AggregateState): AggregateState {
  return {
    ...state,
    openExtremes: state.openExtremes === null ? null : new NumberBag(state.openExtremes),
    distinct: new Set(state.distinct),
    openTexts: state.openTexts === null ? null : new Map(state.openTexts),
    parts: state.parts === null ? null : new Map(Array.from(state.parts, ([key, part]) => [key, copyPart(part)])),
  };
}

function copyPart(part: AggregatePart): AggregatePart {
  return { ...part, state: copyAggregate(part.state) };
}

/** Copies the open calls; `copies` has the priors that were copied with the session. */
function copyCalls(unsettled: Calls, copies: ReadonlyMap<PriorCall, PriorCall>) {
  const calls = new Calls();
  const twins = new Map<Call, Call>();
  for (const call of unsettled) {
    // A prior that a later call made irrelevant is in no list, but its call still changes it.
    const priors = call.priors.map((prior) => copies.get(prior) ?? { ...prior });
    const twin = { ...call, priors, before: null, after: null, isListed: false };
    twins.set(call, twin);
    calls.add(twin);
  }
  return { calls, twinOf: (call: Call) => twins.get(call) ?? call };
}

const NO_COPIES: ReadonlyMap<PriorCall, PriorCall> = new Map();

/** An independent copy; parts that are never changed in place are shared. */
export function copySession(session: Session): Session {
  // An output that arrives changes the history of preconditions, so an open call must refer to the copies.
  const copies = session.unsettled.size === 0 ? null : new Map<PriorCall, PriorCall>();
  const priors = session.priors.map((byEntity) => copyPriors(byEntity, copies));
  const { calls, twinOf } = copyCalls(session.unsettled, copies ?? NO_COPIES);
  return {
    ...session,
    callsOf: new Map(session.callsOf),
    slots: new Map(session.slots),
    collections: copyCollections(session.collections),
    priors,
    aggregates: session.aggregates.map(copyAggregate),
    references: session.references.map((names) => new Map(names)),
    labels: new Set(session.labels),
    unsettled: calls,
    denied: session.denied.size === 0 ? NONE_DENIED : new Map(session.denied),
    late: session.late.size === 0 ? NONE_LATE : new Set(session.late),
    open: session.open?.copy(twinOf) ?? null,
    recent: [...session.recent],
    answered: new Map(session.answered),
    resumable: new Map(session.resumable),
    keys: session.keys?.copy() ?? null,
  };
}
