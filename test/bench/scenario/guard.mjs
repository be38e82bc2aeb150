import { decodeArtifact } from "../../../dist/artifact/decode.js";
import { decide } from "../../../dist/guard/decide/decide.js";
import { Decisions } from "../../../dist/guard/decide/decisions.js";
import { createGuard } from "../../../dist/guard/guard.js";
import { prepareProgram } from "../../../dist/guard/program/prepare-program.js";
import { proposalOf } from "../../../dist/guard/program/proposal.js";
import { packOf, resolveOptions, trustedArtifact } from "../../../dist/guard/resolved-options.js";
import { advance } from "../../../dist/guard/session/advance.js";
import { newSession } from "../../../dist/guard/session/session.js";
import { PRINCIPAL } from "./traffic.mjs";

/** Reads an artifact as a guard's process does. */
export function readArtifact(text) {
  const { ok, artifact, message } = decodeArtifact(text);
  if (!ok) throw new Error(message);
  return artifact;
}

/** The check that refused a call, as traffic names it. */
export function refusedBy(verdict) {
  if (verdict.kind === "allow") return null;
  if (verdict.reason === "phase_not_allowed") return "phase";
  if (verdict.reason === "aggregate_exceeded") return "total_shares";
  return verdict.required.split(" ")[0];
}

/** One session of the guard without its promises: the synchronous core that `guard.propose` awaits. */
class CoreSession {
  constructor(program, options) {
    this.program = program;
    this.decisions = new Decisions(program, options);
    this.session = newSession(program);
  }

  /** Decides and reserves a call whose arguments are plain JSON already. */
  propose(tool, args) {
    return this.decideAndReserve(tool, proposalOf(this.program.tools.get(tool), args));
  }

  decideAndReserve(tool, proposal) {
    const { decisions, program, session } = this;
    const { events, result } = decisions.propose(session, tool, proposal);
    for (const event of events) advance(program, session, event);
    return result;
  }

  settle(callId, ending) {
    advance(this.program, this.session, { kind: "settled", callId, ending, output: {}, sign: "success" });
  }
}

/** The same, and before it the copy of the arguments that protects what was judged from later changes. */
class CopyingSession extends CoreSession {
  propose(tool, args) {
    return this.decideAndReserve(tool, this.decisions.proposals.of(tool, args));
  }
}

/** Deciding alone: nothing is reported or reserved, so there is nothing to settle either. */
class JudgingSession extends CoreSession {
  propose(tool, args) {
    return decide(this.program, this.session, proposalOf(this.program.tools.get(tool), args), 0);
  }

  settle() {}
}

const SESSIONS = { core: CoreSession, copying: CopyingSession, judging: JudgingSession };

/**
 * The guard as an engine: a session whose orders are approved, and a fresh one.
 * `ending` is how its calls are settled: released ones leave the history as long as it was.
 */
export function guardEngine(artifact, { work = "core", ending = "committed" } = {}) {
  const trusted = trustedArtifact(artifact);
  const pack = packOf(trusted);
  const options = resolveOptions({ principal: PRINCIPAL }, pack);
  const program = prepareProgram(trusted, pack, { env: {}, principal: options.principal });
  const sessions = [new SESSIONS[work](program, options), new SESSIONS[work](program, options)];
  approve(sessions[0]);
  return { sessions, refusedBy, ending };
}

/** Brings a session to where orders may be placed. */
function approve(ready) {
  const { callId } = CoreSession.prototype.propose.call(ready, "approve_risk_check", {});
  CoreSession.prototype.settle.call(ready, callId, "committed");
}

/** Guards as callers have them, as an engine of awaited calls: one whose orders are approved, and a fresh one. */
export async function awaitedEngine(artifact) {
  const guards = [
    await createGuard(artifact, { principal: PRINCIPAL }),
    await createGuard(artifact, { principal: PRINCIPAL }),
  ];
  const { callId } = await guards[0].propose({ tool: "approve_risk_check", args: {} });
  await guards[0].settle(callId, { kind: "result", output: {} });
  const sessions = guards.map((guard) => ({
    propose: (call) => guard.propose(call),
    settle: (id) => guard.settle(id, { kind: "result", output: {} }),
  }));
  return { sessions, refusedBy };
}
