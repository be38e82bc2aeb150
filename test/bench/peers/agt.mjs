import agentGovernance from "@microsoft/agent-governance-sdk";
import { MOST_SHARES } from "../scenario/pack.mjs";

const { ConflictResolutionStrategy, PolicyEngine } = agentGovernance;
const SYMBOL = /^[A-Z]{1,5}-[0-9]{3}$/u;

/** Ten rules, one for each check. Its expressions know neither types nor patterns, so both come ready-made. */
const DENIED_IF = [
  "department != 'finance'",
  "phase not in ['approved', 'trading']",
  "is_approved == false",
  "account_type != 'string'",
  "symbol_matches == false",
  "side not in ['buy', 'sell', 'short']",
  "shares < 1",
  "notional > 1000000",
  "order_type != 'limit'",
  `total_shares > ${MOST_SHARES}`,
];

/** A policy that denies what breaks a check and allows the rest. */
export function makeDecide() {
  const engine = new PolicyEngine([], ConflictResolutionStrategy.DenyOverrides);
  engine.loadPolicy({
    name: "orders",
    default_action: "allow",
    rules: DENIED_IF.map((condition, index) => ({ name: `rule_${index}`, condition, ruleAction: "deny" })),
  });
  return ({ department, phase, isApproved, args, totalShares }) =>
    engine.evaluatePolicy("bench", {
      ...args,
      department,
      phase,
      is_approved: isApproved,
      account_type: typeof args.account,
      symbol_matches: SYMBOL.test(args.symbol),
      total_shares: totalShares,
    }).allowed;
}
