import cedar from "@cedar-policy/cedar-wasm/nodejs";
import { MOST_SHARES } from "../scenario/pack.mjs";

const SYMBOL = /^[A-Z]{1,5}-[0-9]{3}$/u;

const POLICY = `permit(principal, action == Action::"submit_live_order", resource) when {
  principal.department == "finance" && ["approved", "trading"].contains(context.phase) && context.is_approved
  && context.account_is_string && context.symbol_matches && ["buy", "sell", "short"].contains(context.side)
  && context.shares >= 1 && context.notional <= 1000000 && context.order_type == "limit"
  && context.total_shares <= ${MOST_SHARES}
};`;

const PRINCIPAL = { type: "User", id: "agent" };
const ENTITIES = [{ uid: PRINCIPAL, attrs: { department: "finance" }, parents: [] }];
const RESOURCE = { type: "Desk", id: "desk" };

/**
 * One policy, parsed once. Cedar has neither patterns nor, without a schema, types: both come ready-made. The context is
 * scalars of one shape, for on others cedar-wasm 4.13 brings Node 20 down.
 */
export function makeDecide() {
  const parsed = cedar.preparsePolicySet("orders", { staticPolicies: POLICY });
  if (parsed.type !== "success") throw new Error("cedar does not read the policy");
  return ({ tool, phase, isApproved, args, totalShares }) => {
    const answer = cedar.statefulIsAuthorized({
      principal: PRINCIPAL,
      action: { type: "Action", id: tool },
      resource: RESOURCE,
      context: {
        phase,
        is_approved: isApproved,
        account_is_string: typeof args.account === "string",
        symbol_matches: SYMBOL.test(args.symbol),
        account: args.account,
        symbol: args.symbol,
        side: args.side,
        shares: args.shares,
        notional: args.notional,
        order_type: args.order_type,
        total_shares: totalShares,
      },
      preparsedPolicySetId: "orders",
      entities: ENTITIES,
    });
    if (answer.type !== "success") throw new Error("cedar gives no answer");
    return answer.response.decision === "allow";
  };
}
