import { createGuard } from "../../../src/guard/guard.js";
import type { Guard } from "../../../src/guard/guard-api.js";
import type { GuardOptions } from "../../../src/guard/public.js";
import { artifactOf } from "../../support/guard-artifact.js";
import type { Turn } from "./wire.js";

/** `pay` needs an approval from 50 on, and `file` ends the phase in which one can look; `search` is run by the provider. */
const PACK = `
#== session.yaml (with the required fields)
schema_version: "1.1"
phases: [{ name: open, initial: true }, { name: filed, terminal: true }]
transitions: { open: [filed] }
session_limits: { max_steps: 40, max_cost_per_session: 1 }
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
#== fetch.yaml (with the required fields)
assertions: { input_invariants: [], output_invariants: [{ path: $, length_lte: 1, reason: One page at a time }] }
#== search.yaml (with the required fields)
transitions: { valid_in_phases: [open] }
`;

export const CLIENT_ARTIFACT = artifactOf(PACK);

export function opened(options: GuardOptions = {}): Promise<Guard> {
  return createGuard(CLIENT_ARTIFACT, { env: {}, approver: "manual", ...options });
}

export const pay = (id: string, n: number) => ({ id, tool: "pay", args: { n } });
export const look = (id: string) => ({ id, tool: "look", args: {} });
export const file = (id: string) => ({ id, tool: "file", args: {} });

export const DONE: Turn = { text: "All done." };
export const TOOLS = ["look", "pay", "file"] as const;

/** What a guard's session counts. */
export function counted(guard: Guard) {
  const { steps, toolCalls, aggregates, unsettled } = guard.state();
  return { steps, toolCalls, paid: aggregates.paid, unsettled: unsettled.map(({ tool }) => tool) };
}
