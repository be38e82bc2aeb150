import { MOST_SHARES } from "./pack.mjs";
import { PRINCIPAL } from "./traffic.mjs";

const isOwn = Object.prototype.hasOwnProperty;
const SYMBOL = /^[A-Z]{1,5}-[0-9]{3}$/u;

function own(object, key) {
  return isOwn.call(object, key) ? object[key] : undefined;
}

function refusal(refusedBy) {
  return Object.freeze({ kind: "block", refusedBy });
}

const REFUSED = {
  tool: refusal("tool"),
  arguments: refusal("arguments"),
  policy: refusal("policy"),
  phase: refusal("phase"),
  prior: refusal("prior"),
  account: refusal("$.account"),
  symbol: refusal("$.symbol"),
  side: refusal("$.side"),
  shares: refusal("$.shares"),
  notional: refusal("$.notional"),
  orderType: refusal("$.order_type"),
  total: refusal("total_shares"),
};

const ALLOWED = Object.freeze({ kind: "allow" });

/** What a session has to remember between calls, whoever judges them; every step of it takes constant time. */
export class Reservations {
  constructor(isReady) {
    this.phase = isReady ? "approved" : "research";
    this.isApproved = isReady;
    this.pending = new Map();
    this.pendingShares = 0;
    this.committedShares = 0;
    this.calls = 0;
    this.issued = 0;
  }

  reserve(tool, args, shares) {
    this.issued += 1;
    this.calls += 1;
    this.pendingShares += shares;
    const callId = `call_${this.issued}`;
    this.pending.set(callId, { callId, tool, args, shares, status: "running" });
    return { kind: "allow", callId };
  }

  settle(callId) {
    const { shares } = this.pending.get(callId);
    this.pending.delete(callId);
    this.pendingShares -= shares;
    this.committedShares += shares;
  }
}

/** What a careful programmer would write for this one contract: the lower bound of what a decision costs. */
class HandWritten extends Reservations {
  propose(tool, args) {
    return this.judge(tool, args) ?? this.reserve(tool, args, args.shares);
  }

  judge(tool, args) {
    if (tool !== "submit_live_order") return REFUSED.tool;
    if (typeof args !== "object" || args === null) return REFUSED.arguments;
    if (own(PRINCIPAL, "department") !== "finance") return REFUSED.policy;
    if (this.phase !== "approved" && this.phase !== "trading") return REFUSED.phase;
    if (!this.isApproved) return REFUSED.prior;
    if (typeof own(args, "account") !== "string") return REFUSED.account;
    const symbol = own(args, "symbol");
    if (typeof symbol !== "string" || !SYMBOL.test(symbol)) return REFUSED.symbol;
    const side = own(args, "side");
    if (side !== "buy" && side !== "sell" && side !== "short") return REFUSED.side;
    const shares = own(args, "shares");
    if (typeof shares !== "number" || !(shares >= 1)) return REFUSED.shares;
    const notional = own(args, "notional");
    if (typeof notional !== "number" || !(notional <= 1_000_000)) return REFUSED.notional;
    if (own(args, "order_type") !== "limit") return REFUSED.orderType;
    if (this.committedShares + this.pendingShares + shares > MOST_SHARES) return REFUSED.total;
    return null;
  }
}

/** Deciding alone: nothing is reserved, so there is nothing to settle either. */
class HandWrittenJudge extends HandWritten {
  propose(tool, args) {
    return this.judge(tool, args) ?? ALLOWED;
  }

  settle() {}
}

/** A copy as plain JSON, member by member: nothing in it belongs to the caller, and nothing that JSON has no word for. */
function plainCopy(value) {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(plainCopy);
  const copy = {};
  for (const key of Object.keys(value)) copy[key] = plainCopy(value[key]);
  return copy;
}

/** The least that keeps what was judged from later changes. Symbols for keys stay in it, and so does what a class brings. */
function spreadCopy(value) {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(spreadCopy);
  const copy = { ...value };
  for (const key in copy) {
    const item = copy[key];
    if (typeof item === "object" && item !== null) copy[key] = spreadCopy(item);
  }
  return copy;
}

/** Behind an async function; the arguments are copied first. */
class HandWrittenAsync extends HandWritten {
  async propose({ tool, args }) {
    const copy = plainCopy(args);
    return this.judge(tool, copy) ?? this.reserve(tool, copy, copy.shares);
  }
}

class HandWrittenSpread extends HandWritten {
  async propose({ tool, args }) {
    const copy = spreadCopy(args);
    return this.judge(tool, copy) ?? this.reserve(tool, copy, copy.shares);
  }
}

const SESSIONS = {
  core: HandWritten,
  copying: HandWritten,
  judging: HandWrittenJudge,
  awaited: HandWrittenAsync,
  spread: HandWrittenSpread,
};

/** The hand-written function as an engine: a session whose orders are approved, and a fresh one. */
export function handWrittenEngine({ work = "core" } = {}) {
  const Session = SESSIONS[work];
  return { sessions: [new Session(true), new Session(false)], refusedBy: (verdict) => verdict.refusedBy ?? null };
}
