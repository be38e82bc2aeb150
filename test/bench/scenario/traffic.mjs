import { TOO_MANY_SHARES } from "./pack.mjs";

/** Who is calling, in every session. */
export const PRINCIPAL = { department: "finance" };

const COUNT = 256;
const SIDES = ["buy", "sell", "short"];

/** Which of an engine's two sessions a call goes to: in the other one nothing was approved yet. */
export const READY = 0;
const FRESH = 1;

function order(index) {
  return {
    account: `account_${index}`,
    symbol: `${"ACMEX".slice(0, 1 + (index % 5))}-${100 + index}`,
    side: SIDES[index % SIDES.length],
    shares: 1 + index,
    notional: 1000 + 3000 * index,
    order_type: "limit",
  };
}

/** `refusedBy` names the check that stops a call: the path of an argument, or what it is about; null lets it pass. */
function call(args, { tool = "submit_live_order", session = READY, refusedBy = null } = {}) {
  return { tool, args, session, refusedBy };
}

/** Traffic A: every call is allowed, so every check runs. The calls take turns with the tools. */
export function allowedCalls(tools = ["submit_live_order"]) {
  return Array.from({ length: COUNT }, (_, index) => call(order(index), { tool: tools[index % tools.length] }));
}

const MISTAKES = [
  (args) => call(args),
  (args) => call(args, { session: FRESH, refusedBy: "phase" }),
  (args) => call({ ...args, account: 7 }, { refusedBy: "$.account" }),
  (args) => call({ ...args, symbol: args.symbol.toLowerCase() }, { refusedBy: "$.symbol" }),
  (args) => call({ ...args, side: "hold" }, { refusedBy: "$.side" }),
  (args) => call({ ...args, shares: 0 }, { refusedBy: "$.shares" }),
  (args) => call({ ...args, notional: 1_000_001 }, { refusedBy: "$.notional" }),
  (args) => call({ ...args, order_type: "market" }, { refusedBy: "$.order_type" }),
  (args) => call({ ...args, shares: TOO_MANY_SHARES }, { refusedBy: "total_shares" }),
];

/** Traffic B: of nine calls in a row eight are refused, each by another check. */
export function mixedCalls() {
  return Array.from({ length: COUNT }, (_, index) => MISTAKES[index % MISTAKES.length](order(index)));
}
