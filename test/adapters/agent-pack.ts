/** The pack of the tests of agents: `pay` needs an approval from 50 on, and `file` ends the phase in which one can look. */
export const AGENT_PACK = `
#== session.yaml (with the required fields)
schema_version: "1.1"
phases: [{ name: open, initial: true }, { name: filed, terminal: true }]
transitions: { open: [filed] }
aggregates: [{ name: paid, metric: sum, tool: pay, path: $.n, lte: 100, reason: Budget }]
#== look.yaml (with the required fields)
transitions: { valid_in_phases: [open] }
#== pay.yaml (with the required fields)
side_effect: financial
assertions:
  input_invariants: [{ path: $.n, lte: 60, reason: Nobody pays more than 60 at once }]
  output_invariants: [{ path: $.ok, equals: true }]
checkpoint: { when: [{ path: $.n, gte: 50 }], timeout_seconds: 60 }
#== file.yaml (with the required fields)
side_effect: write
transitions: { valid_in_phases: [open, filed], advances_to: filed }
#== hang.yaml (with the required fields)
side_effect: write
timeouts: { total_ms: 200 }
#== fail.yaml (with the required fields)
side_effect: write
#== search.yaml (with the required fields)
side_effect: read
`;
