import { EMPTY_SUM } from "../../src/base/exact-sum.js";
import { Approvals } from "../../src/guard/approvals/approvals.js";
import type { DurableLog } from "../../src/guard/durable/durable-log.js";
import { RecordChain } from "../../src/guard/durable/record-chain.js";
import { SessionGuard } from "../../src/guard/guard.js";
import type { Outcome } from "../../src/guard/session/outcome.js";
import { copySession, type Session } from "../../src/guard/session/session.js";
import type { LogStep } from "../../src/guard/session/session-log.js";
import type { Wait } from "../../src/guard/session/store.js";
import { isStoreUnavailable } from "../../src/guard/session/store-errors.js";
import { StoredSession } from "../../src/guard/session/stored-session.js";
import { type Method, replace } from "./replace-method.js";

/** What decisions see if nobody counts the calls that may still happen. */
function withoutUnsettled(session: Session): Session {
  const copy = copySession(session);
  for (const aggregate of copy.aggregates) {
    Object.assign(aggregate, { raise: EMPTY_SUM, openExtremes: null, openTexts: null, openNewTexts: 0 });
  }
  return copy;
}

/** Records only the events that pass. */
function dropping(kind: string): (old: Method) => Method {
  return (old) =>
    function attempt(this: object, ...[decide, ...rest]: unknown[]) {
      const decided = decide as (session: Session) => { readonly events: readonly { readonly kind: string }[] };
      const without = (session: Session) => {
        const step = decided(session);
        return { ...step, events: step.events.filter((event) => event.kind !== kind) };
      };
      return old.call(this, without, ...rest);
    };
}

/** A bug, and a world that finds it. */
interface DeliberateFault {
  readonly seed: number;
  readonly world: number;
  /** Puts it in; the function that this returns takes it out. */
  put(): () => void;
}

/** Bugs that somebody might write, put into the code while it runs. A simulation that finds none of them would be of no use. */
export const DELIBERATE_FAULTS: Readonly<Record<string, DeliberateFault>> = {
  "takes a lost append for recorded": {
    seed: 1,
    world: 0,
    put: () =>
      replace(
        StoredSession,
        "sent",
        (old) =>
          async function sent(this: object, ...args: unknown[]) {
            try {
              return await old.apply(this, args);
            } catch (cause) {
              if (isStoreUnavailable(cause)) return true;
              throw cause;
            }
          },
      ),
  },
  "does not catch up after a conflict": {
    seed: 1,
    world: 0,
    put: () =>
      replace(
        StoredSession,
        "catchUp",
        (old) =>
          function catchUp(this: object, ...args: unknown[]) {
            const { isStale, log } = this as unknown as { readonly isStale: boolean; readonly log: DurableLog };
            if (!isStale || log.isEmpty) return old.apply(this, args);
            Reflect.set(this, "isStale", false);
            return Promise.resolve(false);
          },
      ),
  },
  "forgets what was sent without an answer": {
    seed: 3,
    world: 11,
    put: () => replace(StoredSession, "found", () => () => undefined),
  },
  "does not send an append again": {
    seed: 1,
    world: 1,
    put: () =>
      replace(
        StoredSession,
        "sent",
        () =>
          function sent(this: object, ...[log, step, wait]: unknown[]) {
            return (log as DurableLog).append(step as LogStep, wait as Wait);
          },
      ),
  },
  "releases a call that timed out": {
    seed: 1,
    world: 1,
    put: () =>
      replace(
        SessionGuard,
        "settle",
        (old) =>
          function settle(this: object, ...[callId, outcome]: unknown[]) {
            const { kind } = outcome as Outcome;
            const said = kind === "timeout" ? { kind, sent: false } : outcome;
            return old.call(this, callId, said);
          },
      ),
  },
  "does not count unsettled calls": {
    seed: 1,
    world: 6,
    put: () =>
      replace(
        StoredSession,
        "attempt",
        (old) =>
          function attempt(this: object, ...[decide, ...rest]: unknown[]) {
            const decided = decide as (session: Session) => unknown;
            const blind = (session: Session) => decided(withoutUnsettled(session));
            return old.call(this, blind, ...rest);
          },
      ),
  },
  "tells every caller that it may send": {
    seed: 2,
    world: 0,
    put: () =>
      replace(
        Approvals,
        "resume",
        (old) =>
          async function resume(this: object, ...args: unknown[]) {
            const { repeated, ...verdict } = Object(await old.apply(this, args));
            return verdict;
          },
      ),
  },
  "keeps its own reason of a kill": {
    seed: 1,
    world: 2,
    put: () =>
      replace(
        StoredSession,
        "applyToCurrent",
        () =>
          function applied(this: object, ...[events]: unknown[]) {
            const self = this as unknown as {
              applyTo(session: Session, events: unknown): void;
              readonly current: Session;
            };
            self.applyTo(self.current, events);
          },
      ),
  },
  "writes an old snapshot": {
    seed: 1,
    world: 9,
    put: () => {
      const texts = new WeakMap<object, unknown>();
      return replace(
        RecordChain,
        "stateText",
        (old) =>
          async function stateText(this: object, ...args: unknown[]) {
            const before = texts.get(this);
            const text = await old.apply(this, args);
            texts.set(this, text);
            return before ?? text;
          },
      );
    },
  },
  "does not continue the chain": {
    seed: 1,
    world: 0,
    put: () =>
      replace(
        RecordChain,
        "record",
        (old) =>
          function record(this: object, ...[place, ...rest]: unknown[]) {
            const { n } = place as { readonly n: number };
            return old.call(this, n % 50 === 0 ? { ...Object(place), prev: "" } : place, ...rest);
          },
      ),
  },
  "ignores late results": { seed: 1, world: 1, put: () => replace(StoredSession, "attempt", dropping("late_result")) },
  "does not record labels": {
    seed: 1,
    world: 1,
    put: () => replace(StoredSession, "attempt", dropping("label_added")),
  },
};
