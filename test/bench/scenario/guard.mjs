import { decodeArtifact } from "../../../dist/artifact/decode.js";
import { advance } from "../../../dist/guard/advance.js";
import { decide } from "../../../dist/guard/decide.js";
import { Decisions } from "../../../dist/guard/decisions.js";
import { prepareProgram } from "../../../dist/guard/program.js";
import { newSession } from "../../../dist/guard/session.js";
import { packOf, settingOf, trustedArtifact } from "../../../dist/guard/setting.js";
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

/** One session of the guard without its promises: what `guard.propose` waits for is done at once. */
class CoreSession {
  constructor(program, setting) {
    this.program = program;
    this.decisions = new Decisions(program, setting);
    this.session = newSession(program);
  }

  /** Copies the arguments, decides, and reserves: the work of one `guard.propose` on a session in memory. */
  propose(tool, args) {
    const { decisions, program, session } = this;
    const { events, result } = decisions.propose(session, tool, decisions.proposal(tool, args));
    for (const event of events) advance(program, session, event);
    return result;
  }

  settle(callId, ending) {
    advance(this.program, this.session, { kind: "settled", callId, ending, output: {}, sign: "success" });
  }
}

/** The same without copying the arguments. */
class UncopiedSession extends CoreSession {
  propose(tool, args) {
    const { program, session } = this;
    const decision = judge(program, session, tool, args);
    if (decision.kind !== "allow") return decision;
    const callId = `call_${session.issued + 1}`;
    advance(program, session, { kind: "reserved", callId, tool, args, isApproved: false });
    return { kind: "allow", callId };
  }
}

/** Deciding alone: nothing is copied, told or reserved, so there is nothing to settle either. */
class JudgingSession extends CoreSession {
  propose(tool, args) {
    return judge(this.program, this.session, tool, args);
  }

  settle() {}
}

function judge(program, session, tool, args) {
  return decide(program, session, { tool: program.tools.get(tool), args, now: 0, contributions: [] });
}

const SESSIONS = { everything: CoreSession, uncopied: UncopiedSession, judging: JudgingSession };

/**
 * The guard as an engine: a session whose orders are approved, and a fresh one.
 * `ending` is how its calls are settled: released ones leave the history as long as it was.
 */
export function guardEngine(artifact, { work = "everything", ending = "committed" } = {}) {
  const trusted = trustedArtifact(artifact);
  const pack = packOf(trusted);
  const setting = settingOf({ principal: PRINCIPAL }, pack);
  const program = prepareProgram(trusted, pack, { env: {}, principal: setting.principal });
  const sessions = [new SESSIONS[work](program, setting), new SESSIONS[work](program, setting)];
  approve(sessions[0]);
  return { sessions, refusedBy, ending };
}

/** Brings a session to where orders may be placed. */
function approve(ready) {
  const { callId } = CoreSession.prototype.propose.call(ready, "approve_risk_check", {});
  CoreSession.prototype.settle.call(ready, callId, "committed");
}
