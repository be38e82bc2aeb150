/** Recorded sessions of contracts/trading, with outputs as large as those of real logs: some 600 bytes a call. */

function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

function cents(value) {
  return Math.round(value * 100) / 100;
}

function callsOf(random, session, round) {
  const price = cents(20 + 80 * random());
  const shares = 10 + Math.floor(200 * random());
  const symbol = ["ACME", "GLOBX", "INIT", "UMBR"][Math.floor(4 * random())];
  const approval = `apr_${session}_${round}`;
  const order = { symbol, side: "buy", shares, notional_value: cents(price * shares) };
  const book = Array.from({ length: 8 }, (_, at) => ({ price: cents(price + at / 100), size: 100 + at, orders: 3 }));
  const quote = {
    symbol,
    price,
    currency: "USD",
    venue: "XNYS",
    open: price,
    high: price,
    low: price,
    bids: book,
    asks: book,
  };
  const positions = Array.from({ length: 8 }, (_, at) => ({ symbol: `S${at}`, weight: 0.125, contribution: 0.0031 }));
  const risk = { var: 0.08, min_hedge_notional: 50_000, max_hedge_notional: 150_000, days: 250, positions };
  const limits = ["gross", "net", "single_name"].map((name) => ({ name, used: cents(1e6 * random()), of: 5_000_000 }));
  const fills = Array.from({ length: 4 }, (_, at) => ({ id: `f${at}`, price, shares: shares >> 2, venue: "XNYS" }));
  return [
    { tool: "get_quote", arguments: { symbol }, output: quote },
    { tool: "compute_var", arguments: { portfolio_id: `pf_${session % 50}`, confidence: 0.99 }, output: risk },
    {
      tool: "approve_risk_check",
      arguments: order,
      output: {
        approved: true,
        approval_id: approval,
        desk: "risk-1",
        limits,
        comment: "within all limits of the desk",
      },
    },
    {
      tool: "submit_live_order",
      arguments: { approval_id: approval, ...order, order_type: "limit", limit_price: price },
      output: { order_id: `ord_${session}_${round}`, status: "accepted", filled: 0, fills },
    },
  ];
}

/** So many sessions, one JSON object a line; all calls are allowed. */
export function recordedSessions(count) {
  const random = randomFrom(7);
  const principal = { department: "finance", type: "trader", tier: "L2" };
  const close = { tool: "close_book", arguments: { summary: "orders as approved" }, output: { closed: true } };
  const lines = Array.from({ length: count }, (_, session) => {
    const rounds = Array.from({ length: 1 + (session % 3) }, (_round, at) => callsOf(random, session, at));
    return JSON.stringify({ id: `s${session}`, principal, calls: [...rounds.flat(), close] });
  });
  return `${lines.join("\n")}\n`;
}
