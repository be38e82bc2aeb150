import { Environment } from "@marcbachmann/cel-js";
import { MOST_SHARES } from "../scenario/pack.mjs";

const EXPRESSION = `
  department == "finance" && phase in ["approved", "trading"] && is_approved
  && type(args.account) == string && args.symbol.matches("^[A-Z]{1,5}-[0-9]{3}$")
  && args.side in ["buy", "sell", "short"] && args.shares >= 1.0 && args.notional <= 1000000.0
  && args.order_type == "limit" && total_shares <= ${MOST_SHARES}.0`;

/** One expression, parsed and type-checked once. */
export function makeDecide() {
  const evaluate = new Environment()
    .registerVariable("department", "string")
    .registerVariable("phase", "string")
    .registerVariable("is_approved", "bool")
    .registerVariable("args", "map")
    .registerVariable("total_shares", "double")
    .parse(EXPRESSION);
  return ({ department, phase, isApproved, args, totalShares }) =>
    evaluate({ department, phase, is_approved: isApproved, args, total_shares: totalShares });
}
