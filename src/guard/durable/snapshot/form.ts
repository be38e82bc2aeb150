import type { Place } from "../../../artifact/compiled-value.js";
import * as d from "../../../base/decoder.js";
import { addSums, EMPTY_SUM, type ExactSum } from "../../../base/exact-sum.js";
import type { Json } from "../../../base/json.js";
import type { Call, CallOrigin, PriorCall } from "../../session/call.js";
import type { HeldKey } from "../../session/call-keys.js";
import { APPROVAL_ENDS, decodeRequest } from "../../session/decode-event.js";
import type { KillCause } from "../../session/event.js";
import type { EndedApproval, PendingApproval } from "../../session/pending-approval.js";
import type { AggregateState, DeniedCall, Session, Write } from "../../session/session.js";
import { fail, pairs, plain } from "./plain-form.js";
import { collectionsForm } from "./slots.js";

/** What a snapshot stores of each part; everything else follows from the unsettled calls. A new field fits neither list. */
type FormOf<T, Derived extends keyof T = never> = {
  readonly [K in Exclude<keyof T, Derived>]: d.Decoder<unknown>;
};
/** The same as JSON. */
type JsonOf<T, Derived extends keyof T = never> = { readonly [K in Exclude<keyof T, Derived>]: Json };

export type SessionJson = JsonOf<Session, "open" | "collections" | "stepCalls"> & {
  readonly collections?: Json;
  readonly stepCalls?: number;
};
export type CallJson = JsonOf<Call, "before" | "after" | "isListed">;
export type WriteJson = JsonOf<Write>;
export type PriorJson = JsonOf<PriorCall>;
export type DeniedJson = JsonOf<DeniedCall>;
export type HeldJson = JsonOf<HeldKey>;
export type EndedJson = JsonOf<Omit<EndedApproval, "because">> & Pick<EndedApproval, "because">;
type OpenParts = "raise" | "lower" | "openExtremes" | "openTexts" | "openNewTexts";
/** With `per` the parts that calls have added to for good. */
export type AggregateJson = JsonOf<AggregateState, OpenParts | "parts"> & { readonly parts?: Json };

function word<T extends string>(words: Readonly<Record<T, true>>): d.Decoder<T> {
  const isWord = (value: unknown): value is T => typeof value === "string" && Object.hasOwn(words, value);
  return (value, path) => (isWord(value) ? value : fail(path, "a known word"));
}

const texts: d.Decoder<Set<string>> = (value, path) => {
  const all = d.list(d.string)(value, path);
  const set = new Set(all);
  return set.size === all.length ? set : fail(path, "no text twice");
};

/** The exponents of doubles and of their sums are smaller; a large one would take all memory. */
const DECIMAL = /^(-?[0-9]{1,1000})e(-?[0-9]{1,3})$/;

/** Reads a sum. */
export const sum: d.Decoder<ExactSum> = (value, path) => {
  if (typeof value === "number") return d.integer(value, path);
  const [, digits, exponent] = DECIMAL.exec(d.string(value, path)) ?? fail(path, "a sum");
  // Adding spells it as sums are spelled.
  return addSums(EMPTY_SUM, { digits: BigInt(digits ?? 0), exponent: Number(exponent) });
};

/** A sum as JSON: a number, or a text where that would be rounded. */
export function sumJson(sum: ExactSum): Json {
  return typeof sum === "number" ? sum : `${sum.digits}e${sum.exponent}`;
}

const place: d.Decoder<Place> = d.object({ file: d.string, line: d.number });

/** The step of a call: -1 for a call that was a step of its own. */
const step: d.Decoder<number> = (value, path) => (value === -1 ? -1 : d.count(value, path));

const KILL_CAUSES: Readonly<Record<KillCause, true>> = {
  kill: true,
  consecutive_blocks: true,
  consecutive_errors: true,
};
const ORIGINS: Readonly<Record<CallOrigin, true>> = { proposed: true, approved: true, unanswered: true };
const STATUSES: Readonly<Record<Call["status"], true>> = { running: true, indeterminate: true };

const miss = d.object({ entry: d.nullable(d.count), found: d.string });
const PRIOR = { step, satisfies: d.nullable(d.boolean), miss: d.nullable(miss) } satisfies FormOf<PriorCall>;

/** No value is one that is unset. `awaited` is the text of the path in the output; its value is unknown. */
const WRITE = {
  value: d.list(plain),
  openCall: d.nullable(d.string),
  awaited: d.nullable(d.string),
} satisfies FormOf<Write>;

const CALL = {
  id: d.string,
  tool: d.string,
  args: plain,
  step,
  status: word(STATUSES),
  origin: word(ORIGINS),
  key: d.nullable(d.string),
  since: d.nullable(d.number),
  blocksBefore: d.count,
  isSuperseded: d.boolean,
  priors: d.list(d.object(PRIOR)),
} satisfies FormOf<Call, "before" | "after" | "isListed">;

const DENIED = { tool: d.string, args: plain, step } satisfies FormOf<DeniedCall>;
const HELD = { callId: d.string, digest: d.string, serial: d.count } satisfies FormOf<HeldKey>;
const ENDED = {
  end: word(APPROVAL_ENDS),
  callId: d.string,
  rule: d.nullable(place),
  because: d.optional(d.string),
} satisfies FormOf<Required<EndedApproval>>;
const PART = {
  total: sum,
  extreme: d.nullable(d.number),
  distinct: texts,
} satisfies FormOf<AggregateState, OpenParts | "parts">;
const AGGREGATE = { ...PART, parts: d.optional(pairs(d.object(PART))) } satisfies FormOf<AggregateState, OpenParts>;

const request: d.Decoder<PendingApproval> = (value) => decodeRequest(value);
/** The last write first. */
const writes = d.list(d.object(WRITE));
/** A prior call, or the number of one of an unsettled call, which is shared with that call. */
const prior = d.either(d.object(PRIOR), d.count);

const SESSION = {
  isKilled: d.boolean,
  killedWhy: d.string,
  killedBy: d.nullable(word(KILL_CAUSES)),
  phase: d.nullable(d.string),
  openSteps: d.count,
  ownSteps: d.count,
  sureOwnSteps: d.count,
  toolCalls: d.count,
  stepCalls: d.optional(d.count),
  callsOf: pairs(d.count),
  slots: pairs(writes),
  /** Absent for a pack whose slots are all plain. */
  collections: d.optional(collectionsForm),
  priors: d.list(pairs(d.list(prior))),
  aggregates: d.list(d.object(AGGREGATE)),
  references: d.list(pairs(writes)),
  labels: texts,
  cost: sum,
  unsettled: d.list(d.object(CALL)),
  denied: pairs(d.object(DENIED)),
  late: texts,
  recent: d.list(d.string),
  blocksInRow: d.count,
  errorsInRow: d.count,
  approval: d.nullable(request),
  answered: pairs(d.object(ENDED)),
  resumable: d.list(request),
  keys: d.nullable(pairs(d.object(HELD))),
  issued: d.count,
} satisfies FormOf<Session, "open">;

/** Checks the form of a stored session, but not whether it fits a program. */
export const sessionForm = d.object(SESSION);
export type DecodedSession = d.Decoded<typeof sessionForm>;
export type DecodedCall = DecodedSession["unsettled"][number];
export type DecodedWrite = d.Decoded<typeof writes>[number];
export type DecodedPrior = DecodedCall["priors"][number];
