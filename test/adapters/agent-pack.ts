/** What all packs of these tests bound together. */
export const BUDGET = "aggregates: [{ name: paid, metric: sum, tool: pay, path: $.n, lte: 100, reason: Budget }]";

/** `pay` takes at most 60, answers that it is ok, and needs an approval from 50 on. */
export const PAY = `#== pay.yaml (with the required fields)
side_effect: financial
assertions:
  input_invariants: [{ path: $.n, lte: 60, reason: Nobody pays more than 60 at once }]
  output_invariants: [{ path: $.ok, equals: true }]
checkpoint: { when: [{ path: $.n, gte: 50 }], timeout_seconds: 60 }
`;

/** The pack of a desk, with more lines in session.yaml: `file` ends the phase in which one can look. */
export function deskPack(...session: readonly string[]): string {
  return `
#== session.yaml (with the required fields)
schema_version: "1.1"
phases: [{ name: open, initial: true }, { name: filed, terminal: true }]
transitions: { open: [filed] }
${[BUDGET, ...session].join("\n")}
#== look.yaml (with the required fields)
transitions: { valid_in_phases: [open] }
${PAY}#== file.yaml (with the required fields)
side_effect: write
transitions: { valid_in_phases: [open, filed], advances_to: filed }
`;
}

/** A contract that asks for nothing. */
export function plainContract(tool: string, ...lines: readonly string[]): string {
  return [`#== ${tool}.yaml (with the required fields)`, ...lines, ""].join("\n");
}

const WRITE = "side_effect: write";

/** The pack of the agents of frameworks. */
export const AGENT_PACK = [
  deskPack("session_limits: { circuit_breaker: { consecutive_blocks: 5 } }"),
  plainContract("hang", WRITE, "timeouts: { total_ms: 200 }"),
  plainContract("fail", WRITE),
  plainContract("search", "side_effect: read"),
].join("");
