import { PerformanceObserver, performance } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { median } from "../measure.mjs";

/** How many calls are pending at most; they are settled, and every verdict compared, outside of the timed region. */
const BATCH = 16;

function settleAll({ sessions, refusedBy, ending }, calls, verdicts) {
  return calls.map(({ session, refusedBy: expected }, at) => {
    const verdict = verdicts[at];
    const actual = refusedBy(verdict);
    if (actual !== expected) throw new Error(`a call should be refused by ${expected}, not by ${actual}`);
    return expected === null ? sessions[session].settle(verdict.callId, ending) : undefined;
  });
}

/** Milliseconds for the decisions of one batch. */
function runBatch(engine, calls) {
  const { sessions } = engine;
  const verdicts = new Array(calls.length);
  const start = performance.now();
  for (let at = 0; at < calls.length; at++) {
    const { session, tool, args } = calls[at];
    verdicts[at] = sessions[session].propose(tool, args);
  }
  const elapsed = performance.now() - start;
  settleAll(engine, calls, verdicts);
  return elapsed;
}

/** The same for an engine whose answers are awaited, one after the other. */
async function runAwaitedBatch(engine, calls) {
  const { sessions } = engine;
  const verdicts = new Array(calls.length);
  const start = performance.now();
  for (let at = 0; at < calls.length; at++) {
    const { session, tool, args } = calls[at];
    verdicts[at] = await sessions[session].propose({ tool, args });
  }
  const elapsed = performance.now() - start;
  await Promise.all(settleAll(engine, calls, verdicts));
  return elapsed;
}

function batchesOf(calls) {
  return Array.from({ length: Math.ceil(calls.length / BATCH) }, (_, at) => calls.slice(at * BATCH, (at + 1) * BATCH));
}

/** Puts all calls before an engine once, in milliseconds. */
export function runCalls(engine, calls) {
  return batchesOf(calls).reduce((total, batch) => total + runBatch(engine, batch), 0);
}

/**
 * Median nanoseconds per decision of each contestant, `{ engine, calls, turn }`, which take turns. A turn is a pass over
 * all calls, or for a slow engine over so many batches of them, the next ones each time: turns are short, so that other
 * jobs of the machine disturb few of them, and as long for the slow as for the fast, so that they disturb all alike.
 * Garbage collections, too, fall into few turns; see `collectedPerDecision`.
 */
export function nanosecondsPerDecision(contestants, { warmUps = 300, repetitions = 601 } = {}) {
  const prepared = Object.entries(contestants).map(([name, { engine, calls, turn }]) => {
    const batches = batchesOf(calls);
    return { name, engine, batches, turn: turn ?? batches.length, next: 0, times: [] };
  });
  for (let round = -warmUps; round < repetitions; round++) {
    for (const contestant of prepared) {
      const time = takeTurn(contestant);
      if (round >= 0) contestant.times.push(time);
    }
  }
  return Object.fromEntries(prepared.map(({ name, times }) => [name, median(times)]));
}

function takeTurn(contestant) {
  const { engine, batches, turn } = contestant;
  let elapsed = 0;
  let decisions = 0;
  for (let count = 0; count < turn; count++) {
    const batch = batches[contestant.next];
    contestant.next = (contestant.next + 1) % batches.length;
    elapsed += runBatch(engine, batch);
    decisions += batch.length;
  }
  return (elapsed * 1e6) / decisions;
}

/** Median nanoseconds per decision of contestants, `{ engine, calls }`, whose answers are awaited; they take turns. */
export async function nanosecondsPerAwaited(contestants, { warmUps = 100, repetitions = 301 } = {}) {
  const prepared = Object.entries(contestants).map(([name, { engine, calls }]) => {
    return { name, engine, batches: batchesOf(calls), times: [] };
  });
  for (let round = -warmUps; round < repetitions; round++) {
    for (const { engine, batches, times } of prepared) {
      let elapsed = 0;
      for (const batch of batches) elapsed += await runAwaitedBatch(engine, batch);
      if (round >= 0) times.push((elapsed * 1e6) / batches.reduce((sum, { length }) => sum + length, 0));
    }
  }
  return Object.fromEntries(prepared.map(({ name, times }) => [name, median(times)]));
}

/** Nanoseconds of garbage collection per decision: of the decision itself, and of settling it. */
export async function collectedPerDecision({ engine, calls }, { warmUps = 300, repetitions = 1500 } = {}) {
  for (let round = 0; round < warmUps; round++) runCalls(engine, calls);
  let milliseconds = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) milliseconds += duration;
  });
  observer.observe({ entryTypes: ["gc"] });
  for (let round = 0; round < repetitions; round++) runCalls(engine, calls);
  // Entries are delivered between tasks.
  await setTimeout(50);
  observer.disconnect();
  return (milliseconds * 1e6) / (repetitions * calls.length);
}
