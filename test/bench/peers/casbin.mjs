import { newEnforcer, newModelFromString, StringAdapter } from "casbin";
import { MOST_SHARES } from "../scenario/pack.mjs";

const MODEL = `
[request_definition]
r = tool, session, args

[policy_definition]
p = tool

[policy_effect]
e = some(where (p.eft == allow))

[matchers]
m = r.tool == p.tool && r.session.department == "finance" \\
  && (r.session.phase == "approved" || r.session.phase == "trading") && r.session.isApproved \\
  && isString(r.args.account) && regexMatch(r.args.symbol, "^[A-Z]{1,5}-[0-9]{3}$") \\
  && (r.args.side == "buy" || r.args.side == "sell" || r.args.side == "short") \\
  && r.args.shares >= 1 && r.args.notional <= 1000000 && r.args.order_type == "limit" \\
  && r.session.totalShares <= ${MOST_SHARES}
`;

/** One policy line whose matcher holds every check; the enforcer caches the parsed matcher. */
export async function makeDecide() {
  const enforcer = await newEnforcer(newModelFromString(MODEL), new StringAdapter("p, submit_live_order"));
  enforcer.addFunction("isString", (value) => typeof value === "string");
  return (request) => enforcer.enforceSync(request.tool, request, request.args);
}
