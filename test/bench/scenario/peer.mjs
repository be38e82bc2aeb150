import { Reservations } from "./hand-written.mjs";
import { PRINCIPAL } from "./traffic.mjs";

const ALLOWED = Object.freeze({ kind: "allow" });
const REFUSED = Object.freeze({ kind: "block", refusedBy: "peer" });

/** A session whose calls a peer judges; what lies between calls, which none of the peers keeps, is kept for it. */
class PeerSession extends Reservations {
  constructor(isReady, decide) {
    super(isReady);
    this.decide = decide;
  }

  propose(tool, args) {
    return this.judge(tool, args) ? this.reserve(tool, args, args.shares) : REFUSED;
  }

  judge(tool, args) {
    return this.decide({
      tool,
      args,
      department: PRINCIPAL.department,
      phase: this.phase,
      isApproved: this.isApproved,
      totalShares: this.committedShares + this.pendingShares + args.shares,
    });
  }
}

/** Deciding alone: nothing is reserved, so there is nothing to settle either. */
class PeerJudge extends PeerSession {
  propose(tool, args) {
    return this.judge(tool, args) ? ALLOWED : REFUSED;
  }

  settle() {}
}

/** A peer as an engine: a session whose orders are approved, and a fresh one. */
export function peerEngine(decide, { work = "core" } = {}) {
  const Session = work === "judging" ? PeerJudge : PeerSession;
  return {
    sessions: [new Session(true, decide), new Session(false, decide)],
    refusedBy: (verdict) => verdict.refusedBy ?? null,
  };
}
