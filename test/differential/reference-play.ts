import type { Random } from "./generate/random.js";
import type { Operation, Trace } from "./generate/trace.js";
import { someObject } from "./generate/values.js";
import type { Pack, Proposal } from "./reference/model.js";
import { type Play, start } from "./scenario.js";

/** The call that a settlement of the trace is about. */
function settled({ guard, calls }: Play, { among, back }: Extract<Operation, { op: "settle" }>): string {
  const open = new Set(guard.unsettled().map(({ callId }) => callId));
  const candidates = among === "nothing" ? [] : among === "any" ? calls : calls.filter((callId) => open.has(callId));
  return candidates.at(-1 - back) ?? candidates.at(-1) ?? "no-call";
}

function perform(play: Play, operation: Operation): string | null {
  const { guard, calls, requests } = play;
  switch (operation.op) {
    case "propose": {
      const verdict = guard.propose(operation);
      if (verdict.kind === "allow") calls.push(verdict.callId);
      if (verdict.kind === "approval_required") requests.push(verdict.approvalId);
      return verdict.kind === "block" ? verdict.reason : verdict.kind;
    }
    case "settle": {
      const settlement = guard.settle(settled(play, operation), operation.outcome);
      if (!settlement.accepted) return settlement.reason;
      return settlement.violation === undefined ? "accepted" : "violation";
    }
    case "approve": {
      const verdict = guard.approve(requests.at(-1) ?? "", { by: operation.by });
      if (verdict.kind === "allow") calls.push(verdict.callId);
      return verdict.kind;
    }
    case "beginStep":
      return guard.beginStep().kind;
    case "addLabel":
      guard.addLabel(operation.label);
      return null;
    case "wait":
      play.wait(operation.seconds);
      return null;
    default:
      return null;
  }
}

/** More calls that are open at once have more orders than a test can try. */
const MOST_OPEN = 4;

function begin(pack: Pack, { setting }: Trace): Play {
  const { principal, env, unmatched, mode, approver } = setting;
  return start(pack, { principal, env, unmatched, mode, approver });
}

/** Plays a trace on the reference guard alone; the words of its answers, without those that are mistakes of the caller. */
export function playOnReference(pack: Pack, trace: Trace): readonly string[] {
  const play = begin(pack, trace);
  return trace.operations.flatMap((operation) => tryTo(play, operation) ?? []);
}

function tryTo(play: Play, operation: Operation): string | null {
  if (operation.op === "propose" && play.guard.unsettled().length >= MOST_OPEN) return null;
  try {
    return perform(play, operation);
  } catch (cause) {
    if (cause instanceof TypeError) return null;
    throw cause;
  }
}

/** What a proposal is answered with after the open calls have ended in one of their ways. */
function afterwards(play: Play, proposal: Proposal, random: Random): string {
  const calls = [...play.calls];
  const { given } = play.guard.whatIf(() => {
    const open = play.guard.unsettled().map(({ callId }) => callId);
    for (const callId of open.sort(() => random.next() - 0.5)) {
      const outcome = { kind: "result", output: someObject(random) };
      play.guard.settle(callId, random.chance(0.6) ? outcome : random.pick(ENDS));
    }
    const verdict = play.guard.propose(proposal);
    return verdict.kind === "block" ? verdict.reason : verdict.kind;
  });
  play.calls.splice(0, play.calls.length, ...calls);
  return given;
}

const ENDS = [
  { kind: "error", sent: false },
  { kind: "happened" },
  { kind: "timeout" },
  { kind: "result", output: Number.NaN },
  { kind: "result", output: null },
];
const FUTURES = 6;

/** Calls that were allowed although a requirement fails in one of the ways in which the open calls may end. */
export function brokenLaws(pack: Pack, trace: Trace, random: Random): readonly string[] {
  const play = begin(pack, trace);
  return trace.operations.flatMap((operation) => {
    const isTried = operation.op === "propose" && operation.callKey === undefined;
    const futures = isTried ? random.list(FUTURES, () => afterwards(play, operation, random)) : [];
    const verdict = tryTo(play, operation);
    const broken = futures.filter((word) => word.startsWith("requirement_"));
    return verdict === "allow" && broken.length > 0 ? [`${JSON.stringify(operation)}: ${broken.join(", ")}`] : [];
  });
}
