import type { Program } from "../../../../src/guard/program/program.js";
import { type PriorCall, UNKNOWN } from "../../../../src/guard/session/call.js";
import type { Session, Write, Writes } from "../../../../src/guard/session/session.js";

function* each(writes: Writes | null): Generator<Write> {
  for (let rest = writes; rest !== null; rest = rest.before) yield rest.last;
}

function writeFeatures(place: string, places: Iterable<Writes>): readonly string[] {
  return [...places].flatMap((writes) => {
    const all = [...each(writes)];
    return [
      ...(all.some(({ awaited }) => awaited !== null) ? [`${place} awaited from an output`] : []),
      ...(all.some(({ openCall, awaited }) => openCall !== null && awaited === null)
        ? [`${place} from arguments, open`]
        : []),
      ...(all.some(({ openCall }) => openCall === null) ? [`${place} settled`] : []),
      ...(all.some(({ value }) => value === undefined) ? [`${place} unset by a write`] : []),
      ...(all.length > 2 ? [`${place} written several times`] : []),
      ...(all[0]?.value === UNKNOWN ? [`${place} unknown`] : []),
    ];
  });
}

function callFeatures({ unsettled, priors }: Session): readonly string[] {
  const listed = new Set<PriorCall>(priors.flatMap((byEntity) => [...byEntity.values()].flat()));
  return Array.from(unsettled).flatMap(({ status, origin, key, since, blocksBefore, isSuperseded, ...call }) => [
    `a call that is ${status}`,
    `a call that was ${origin}`,
    ...(key === undefined ? [] : ["a call with a key"]),
    ...(since === null ? [] : ["a call with a time"]),
    ...(blocksBefore > 0 ? ["a call after blocks"] : []),
    ...(isSuperseded ? ["a superseded call"] : []),
    ...(call.step === -1 ? [] : ["a call in an explicit step"]),
    ...(call.tool.compiled === null ? ["a call without a contract"] : []),
    ...call.priors.map((prior) => (listed.has(prior) ? "a prior call that is shared" : "a prior call in no list")),
  ]);
}

function aggregateFeatures(program: Program, { aggregates }: Session): readonly string[] {
  return aggregates.flatMap(
    ({ total, raise, lower, extreme, openExtremes, distinct, openTexts, openNewTexts }, index) => {
      const metric = program.aggregates[index]?.metric ?? "none";
      const isOpen = raise !== 0 || lower !== 0 || openExtremes !== null || openTexts !== null;
      return [
        ...(isOpen ? [`${metric} with open calls`] : []),
        ...(total !== 0 || extreme !== null || distinct.size > 0 ? [`${metric} with settled calls`] : []),
        ...(typeof total === "number" ? [] : ["a total that no number holds"]),
        ...(openTexts !== null && openNewTexts < openTexts.size ? ["an open value that is known"] : []),
      ];
    },
  );
}

function approvalFeatures({ approval, answered, resumable, keys, denied, late }: Session): readonly string[] {
  return [
    ...(approval === null ? [] : ["a pending approval"]),
    ...((approval?.approvedBy?.length ?? 0) > 0 ? ["an approval given by some"] : []),
    ...Array.from(answered.values(), ({ end }) => `an approval that was ${end}`),
    ...Array.from(resumable.keys(), (id) => `a resumable request that was ${answered.get(id)?.end}`),
    ...(keys === null ? [] : ["keys"]),
    ...(denied.size > 0 ? ["a denied call"] : []),
    ...(late.size > 0 ? ["a late result"] : []),
  ];
}

/** What a session has of all that a snapshot must store, in words. */
export function featuresOf(program: Program, session: Session): ReadonlySet<string> {
  const { priors, open, phase, labels, cost, recent, isKilled, killedBy, blocksInRow, errorsInRow } = session;
  const known = priors.flatMap((byEntity) => [...byEntity]);
  return new Set([
    ...callFeatures(session),
    ...aggregateFeatures(program, session),
    ...approvalFeatures(session),
    ...writeFeatures("a slot", session.slots.values()),
    ...session.references.flatMap((names) => writeFeatures("a reference", names.values())),
    ...(known.some(([entity]) => entity !== "") ? ["prior calls by resource"] : []),
    ...(known.some(([, calls]) => calls.length > 1) ? ["prior calls of several steps"] : []),
    ...(known.some(([, calls]) => calls.some(({ miss }) => miss !== null)) ? ["a prior output that failed"] : []),
    ...((open?.phases.size ?? 0) > 1 ? ["several possible phases"] : []),
    ...(phase !== null && phase !== program.pack.phases?.initial ? ["a later phase"] : []),
    ...(labels.size > 0 ? ["labels"] : []),
    ...(typeof cost === "number" ? [] : ["a cost that no whole number is"]),
    ...(recent.length > 0 ? ["recent proposals"] : []),
    ...(isKilled ? [`killed by ${killedBy}`] : []),
    ...(blocksInRow > 0 ? ["blocks in a row"] : []),
    ...(errorsInRow > 0 ? ["errors in a row"] : []),
    ...(session.callsOf.size > 0 ? ["counted calls"] : []),
  ]);
}

/** Everything that the random sessions must have had. */
export const ALL_FEATURES: readonly string[] = [
  ...["running", "indeterminate"].map((status) => `a call that is ${status}`),
  ...["proposed", "approved", "unanswered"].map((origin) => `a call that was ${origin}`),
  ...["a call with a key", "a call with a time", "a call after blocks", "a superseded call"],
  ...["a call in an explicit step", "a call without a contract"],
  ...["a prior call that is shared", "a prior call in no list"],
  ...["prior calls by resource", "prior calls of several steps", "a prior output that failed"],
  ...["sum", "count", "max", "min", "count_distinct"].flatMap((metric) => [
    `${metric} with open calls`,
    `${metric} with settled calls`,
  ]),
  ...["a total that no number holds", "an open value that is known"],
  ...["a pending approval", "an approval given by some"],
  ...["approved", "granted", "denied", "expired", "resumed", "withdrawn"].map((end) => `an approval that was ${end}`),
  ...["granted", "expired"].map((end) => `a resumable request that was ${end}`),
  ...["keys", "a denied call", "a late result"],
  ...["a slot", "a reference"].flatMap((place) =>
    [
      "awaited from an output",
      "from arguments, open",
      "settled",
      "unset by a write",
      "written several times",
      "unknown",
    ].map((how) => `${place} ${how}`),
  ),
  ...["several possible phases", "a later phase", "labels", "a cost that no whole number is", "recent proposals"],
  ...["kill", "consecutive_blocks", "consecutive_errors"].map((cause) => `killed by ${cause}`),
  ...["blocks in a row", "errors in a row", "counted calls"],
];
